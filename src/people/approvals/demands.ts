import { type DomainError, domainError } from "#core/errors";
import type { Caller } from "#core/values";
import type { WritConfig } from "#workspace";
import type { Approval } from "./approval.ts";
import type { Risk } from "./risk.ts";

/** What a yes takes at one risk. A no takes none of it: nothing that is configured keeps a person from refusing. */
export interface Demands {
  readonly reason: boolean;
  readonly people: number;
  readonly hold_seconds: number;
}

export function demandsAt(risk: Risk, demands: WritConfig["approvals"]["demands"]): Demands {
  return demands[risk];
}

/** How long a caller has held the button of a question about these bytes; undefined where it was not pressed. */
export type HeldFor = (approval_id: string, caller: string, subject_hash: string) => number | undefined;

/** Why a yes is not enough yet; undefined when it is. A second person's is weighed where the first is known. */
export function unmetDemand(
  { approval_id, subject_hash }: Pick<Approval, "approval_id" | "subject_hash">,
  { reason, hold_seconds }: Demands,
  said: { readonly by: Caller; readonly reason: string; readonly risk: Risk; readonly heldFor: HeldFor },
): DomainError | undefined {
  if (reason && said.reason.trim() === "")
    return domainError("MALFORMED_INPUT", `its risk is ${said.risk}: a yes takes a reason here`, {
      details: {
        approval_id,
        demands: "reason",
        hint: '--reason "…" says why; approvals.demands in writ.yaml asks for it',
      },
    });
  if (hold_seconds > 0 && (said.heldFor(approval_id, said.by.id, subject_hash) ?? -1) < hold_seconds * 1000)
    return domainError(
      "MALFORMED_INPUT",
      `its risk is ${said.risk}: a yes is held for ${hold_seconds} s here, and this one was not`,
      {
        details: {
          approval_id,
          demands: "hold",
          hint: "POST …/hold when the button is pressed, and decide when the time is over; approvals.demands in writ.yaml asks for it",
        },
      },
    );
  return undefined;
}
