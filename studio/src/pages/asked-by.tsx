import type { Approval } from "../api/types.ts";
import { Ago } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";

/** What waits, who asked and when. Nobody decides about what they asked for themselves: that is said before they try. */
export function AskedBy({ approval, me }: { readonly approval: Approval; readonly me: string | null }) {
  const { kind, author, created_at, state } = approval;
  const isOwn = author === me;
  return (
    <>
      {kind.replaceAll("_", " ")} · asked by {isOwn ? "you" : visible(author)}, <Ago ts={created_at} />
      {isOwn && state === "open" && " · somebody else decides"}
    </>
  );
}
