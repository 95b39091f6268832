import type { Approval } from "../api/types.ts";
import { Ago } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";

/** What waits, who asked and when. Nobody decides about what they asked for themselves: that is said before they try. */
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

/** What I may decide stands before what only somebody else may; otherwise as they came. */
export function decidableFirst(approvals: readonly Approval[], me: string | null): readonly Approval[] {
  return [...approvals].sort((one, other) => Number(one.author === me) - Number(other.author === me));
}
