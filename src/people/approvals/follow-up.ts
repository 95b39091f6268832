import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { ApprovalKindName } from "./approval.ts";
import type { AnyApprovalKind, Deciding, Gone } from "./approval-kind.ts";
import { type CarryOut, type Consequence, nothingFollows } from "./consequence.ts";
import type { Inbox } from "./inbox.ts";

/** What follows from a decision on a question of this kind. A question whose subject is gone is superseded instead. */
export function followUpOf<Parts>(
  kind: AnyApprovalKind<ApprovalKindName, Parts>,
  inbox: Pick<Inbox, "supersede">,
  parts: Parts,
): Consequence {
  return async (approval, choice, by) => {
    const deciding: Deciding<Parts> = { approval, choice, by, parts };
    const open =
      kind.isStillOpen === "until decided" ? ok({ state: "open" } as const) : await kind.isStillOpen(deciding);
    if (!open.ok) return open;
    if (open.value.state === "carried out") return ok(nothingFollows);
    if (open.value.state === "gone") return supersede(inbox, deciding, open.value);
    const follow = choice === approval.choices[0] ? kind.onApprove : kind.onDeny;
    if (follow === "nothing") return ok(nothingFollows);
    const prepared = await follow(deciding);
    if (!prepared.ok) return prepared;
    return typeof prepared.value === "function" ? ok(prepared.value) : supersede(inbox, deciding, prepared.value);
  };
}

async function supersede(
  inbox: Pick<Inbox, "supersede">,
  { approval, by }: Pick<Deciding<unknown>, "approval" | "by">,
  { why, hint }: Gone,
): Promise<Result<CarryOut>> {
  const closed = await inbox.supersede(approval.approval_id, by.id, why);
  if (!closed.ok) return closed;
  return err(domainError("WRITE_CONFLICT", why, { retryable: false, ...(hint === null ? {} : { details: { hint } }) }));
}
