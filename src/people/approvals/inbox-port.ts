import type { DomainError } from "#core/errors";
import type { Caller, Result } from "#core/values";
import type { Approval } from "./approval.ts";
import type { AskedKind } from "./approval-kind.ts";
import type { Asker, Verdict } from "./ask.ts";
import type { Consequence } from "./consequence.ts";
import type { DecisionInput, SelfApproval } from "./decide-approval.ts";
import type { Demands } from "./demands.ts";
import type { Risk } from "./risk.ts";

/** Everything that waits for a person, in one place. Survives restarts; each question and each decision is an event. */
export interface Inbox {
  /**
   * The one way to ask a person. Asked again, the same question is answered with what was decided, which the session that
   * waits has then recorded.
   */
  ask<Question>(kind: AskedKind<Question>, question: NoInfer<Question>, asker: Asker): Promise<Result<Verdict>>;
  find(approval_id: string): Promise<Result<Approval>>;
  /** The same with the words that a person wrote beside the decision. Secrets among them are in no store and on no screen. */
  asWritten(approval: Approval): Promise<Result<Approval>>;
  /** Why this caller may not decide this question, whatever they would say; undefined when they may. */
  refusal(by: Caller, approval: Approval): DomainError | undefined;
  list(query: InboxQuery): Promise<Result<readonly Approval[]>>;
  /**
   * Decides once, for exactly what was shown. The decision is stored first, then what follows from it is carried out, and
   * only then it counts. A process that dies in between leaves it pending: the same decision again continues it.
   */
  decide(by: Caller, approval_id: string, input: DecisionInput, consequence?: Consequence): Promise<Result<Approval>>;
  /** Withdraws what this caller said, where nothing has come of it yet. */
  takeBack(by: Caller, approval_id: string): Promise<Result<Approval>>;
  /** The caller presses the button of a question whose yes is held. */
  press(by: Caller, approval_id: string, subject_hash: string): Promise<Result<Approval>>;
  /** What a yes risks and takes, who may say it, and when one counts that was said. */
  terms(approval: Approval): Terms;
  /** Lets a pending decision count that is known to have been carried out. Where none is pending, nothing changes. */
  finish(approval_id: string): Promise<Result<Approval>>;
  /** Closes a question that needs no answer any more. One that is closed already stays as it is. */
  supersede(approval_id: string, by: string, reason: string): Promise<Result<void>>;
}

export interface Terms {
  readonly risk: Risk;
  readonly demands: Demands;
  readonly author_may: SelfApproval;
  readonly counts_at: string | null;
}

export interface InboxQuery {
  readonly state?: "open" | "decided" | "all";
  readonly session_id?: string;
  readonly before?: string;
  /** The newest 100 without it. */
  readonly limit?: number;
}
