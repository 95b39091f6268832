import type { Approval } from "../api/types.ts";
import { Ago } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";

/** The kind of question, who asked and when. No caller decides its own question: the text says so before the reader tries. */
export function AskedBy({ approval, me }: { readonly approval: Approval; readonly me: string | null }) {
  const { author, created_at, state } = approval;
  const kind = approval.kind.replaceAll("_", " ");
  if (author !== me)
    return (
      <>
        {kind} · asked by {visible(author)}, <Ago ts={created_at} />
      </>
    );
  return (
    <>
      {state === "open" ? "yours: somebody else decides" : "yours"} · {kind}, <Ago ts={created_at} />
    </>
  );
}

/** Questions that this caller may decide come first, then news that nothing waits for, then its own ones; otherwise the order is kept. */
export function decidableFirst(approvals: readonly Approval[], me: string | null): readonly Approval[] {
  const rank = ({ author, kind }: Approval) => (author === me ? 2 : kind === "refused_acts" ? 1 : 0);
  return [...approvals].sort((one, other) => rank(one) - rank(other));
}
