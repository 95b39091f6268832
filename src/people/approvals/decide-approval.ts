import { type DomainError, domainError } from "#core/errors";
import { type Caller, canonicalJson, type JsonValue, type Result } from "#core/values";
import { covers } from "../identity/covers.ts";
import type { Approval } from "./approval.ts";

export interface DecisionInput {
  readonly choice: string;
  /** The hash of what the person was shown. */
  readonly subject_hash: string;
  readonly reason: string;
  /** What the person says came of it. */
  readonly result?: JsonValue;
  /** Absent: it counts at once. */
  readonly later?: Later;
}

/** A decision that counts only after a while, until which it can be taken back. */
export interface Later {
  readonly ms: number;
  /** Called with the question once the decision counts, or with the reason why it does not. */
  readonly then: (decided: Result<Approval>) => void;
}

/** Whether a caller at this machine may decide its own questions. Over the network no caller may. */
export type SelfApproval = "local" | "never";

export interface DecisionRules {
  readonly self: SelfApproval;
  /** How many people have to say yes. */
  readonly people: number;
}

/** Why this caller may not decide this; undefined when it may. */
export function refuseDecision(
  approval: Approval,
  by: Caller,
  input: DecisionInput,
  { self, people }: DecisionRules,
): DomainError | undefined {
  const { approval_id, author, choices, state, subject_hash } = approval;
  if (!covers(by.grants, "approve"))
    return domainError("NOT_AUTHORIZED", `${by.id} may not decide: no role of theirs grants "approve"`, {
      details: { caller: by.id, right: "approve" },
    });
  const isAuthor = by.id === author;
  if (isAuthor && !(self === "local" && by.authenticatedBy === "local"))
    return domainError(
      "NOT_AUTHORIZED",
      `${by.id} asked for this and cannot approve it: another person with the right "approve" has to decide`,
      { details: { caller: by.id, author } },
    );
  if (!choices.includes(input.choice))
    return domainError("MALFORMED_INPUT", `${approval_id} takes ${choices.join(" or ")}, not "${input.choice}"`);
  if (input.subject_hash !== subject_hash)
    return domainError(
      "WRITE_CONFLICT",
      `what was shown is not what waits: the decision is about ${input.subject_hash.slice(0, 16)}…, ${approval_id} is about ${subject_hash.slice(0, 16)}…`,
      { retryable: false, details: { approval_id } },
    );
  if (state === "open" && approval.choice === null) return undefined;
  if (state === "open" && lacksVoices(approval, people)) return refuseVoice(approval, by, input);
  if (state === "open") return contradicts(approval, input);
  const why = whyClosed(approval);
  return domainError("WRITE_CONFLICT", `${approval_id} can no longer be decided: ${why}`, {
    retryable: false,
    details: { approval_id, state, hint: "`writ inbox list --all` shows what was decided, and what still waits" },
  });
}

/** Between the people who said yes to one question. */
const between = " + ";

/** Who said what is stored, the first of them first. */
export function voicesOf({ decided_by }: Pick<Approval, "decided_by">): readonly string[] {
  return decided_by === null ? [] : decided_by.split(between);
}

/** A yes was said, and so far by fewer people than have to: nothing has come of it. */
export function lacksVoices(approval: Pick<Approval, "choice" | "choices" | "decided_by">, people: number): boolean {
  const { choice, choices } = approval;
  return choice !== null && choices.includes(choice) && !isNo(approval, choice) && voicesOf(approval).length < people;
}

/** The voices with one more. */
export function withVoice(approval: Pick<Approval, "decided_by">, by: string): string {
  return [...voicesOf(approval), by].join(between);
}

/** The last of several choices means no. */
export function isNo({ choices }: Pick<Approval, "choices">, choice: string): boolean {
  return choices.length > 1 && choice === choices.at(-1);
}

/** A second person says the same, or no; the first one alone is not enough. */
function refuseVoice(approval: Approval, by: Caller, input: DecisionInput): DomainError | undefined {
  const { approval_id, choice } = approval;
  if (isNo(approval, input.choice)) return undefined;
  if (voicesOf(approval).includes(by.id) || by.id.includes(between))
    return domainError(
      "WRITE_CONFLICT",
      `${by.id} said "${choice}" to ${approval_id}: a second person has to say it too`,
      {
        retryable: false,
        details: {
          approval_id,
          demands: "people",
          hint: "approvals.demands in writ.yaml asks for two people at this risk",
        },
      },
    );
  return contradicts(approval, input);
}

/** Why a decision contradicts the one that is stored; undefined when it is the same. */
export function contradicts(
  { approval_id, choice, decided_by, result }: Pick<Approval, "approval_id" | "choice" | "decided_by" | "result">,
  decision: { readonly choice: string; readonly result?: JsonValue },
): DomainError | undefined {
  const isSame =
    decision.choice === choice &&
    (decision.result === undefined || canonicalJson(decision.result) === canonicalJson(result));
  if (isSame) return undefined;
  const other = decision.choice === choice ? " with another result" : "";
  return domainError(
    "WRITE_CONFLICT",
    `${decided_by} said "${choice}"${other} to ${approval_id} before: a word that was said stands`,
    { retryable: false, details: { approval_id, choice, hint: "a caller who says the same goes on with it" } },
  );
}

function whyClosed({ state, expires_at, decided_by, decision_reason }: Approval): string {
  if (state === "expired") return `it expired at ${expires_at}`;
  if (state === "superseded") return `it was superseded: ${decision_reason}`;
  return `${decided_by} decided already`;
}
