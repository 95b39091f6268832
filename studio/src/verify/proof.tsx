import type { AnchorProofV1 } from "../../../src/core/contracts/generated/types.ts";
import { isIncluded } from "../../../src/proof/bundle/page/merkle-path.ts";
import { isSignedRoot } from "../../../src/proof/bundle/page/signed-root.ts";
import { useGet } from "../api/use-get.ts";
import { Copy } from "../ui/copy.tsx";
import { Ago } from "../ui/time.tsx";

/** Where the session's head stands outside the session: its leaf, the path to a root, the signature on that. */
export function Proof({ session_id }: { readonly session_id: string }) {
  const { answer } = useGet<AnchorProofV1>(`/sessions/${session_id}/proof`);
  if (answer.state === "loading") return <p className="faint">Reading the anchor …</p>;
  if (answer.state === "failed") return <p className="soft">No anchor to show: {answer.problem.detail}</p>;
  const { checkpoint, inclusion } = answer.value;
  const included = inclusion !== undefined && isIncluded(inclusion, checkpoint);
  const signed = isSignedRoot(checkpoint);
  return (
    <dl className="facts">
      <dt>anchored</dt>
      <dd>{included ? "yes: the path leads from this head to the root" : "NO: the path does not lead to the root"}</dd>
      <dt>signed</dt>
      <dd>{signed ? "yes, by the workspace's key" : "NO: the signature is not by this key"}</dd>
      <dt>leaf</dt>
      <dd>
        {inclusion?.leaf_index} of {checkpoint.tree_size}, <Ago ts={checkpoint.ts} />
      </dd>
      <dt>root</dt>
      <dd>
        <Copy value={checkpoint.root_hash} shown={`${checkpoint.root_hash.slice(0, 24)}…`} />
      </dd>
      <dt>key</dt>
      <dd>
        <Copy value={checkpoint.key_id} />
      </dd>
    </dl>
  );
}
