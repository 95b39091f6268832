import type { Caller, JsonObject, Result } from "#core/values";
import type { Wanted } from "./answer-form.ts";
import type { Approval, ApprovalKindName } from "./approval.ts";
import type { CarryOut } from "./consequence.ts";

/**
 * One kind of question for a person. Every member is required: where nothing happens the kind says so. A kind has no
 * state and imports types only, so the studio reads the same object; what it acts with is handed in as `Parts`.
 */
export interface ApprovalKind<
  Kind extends ApprovalKindName,
  Question,
  Parts = unknown,
  Choice extends string = "approve" | "deny",
> {
  readonly kind: Kind;
  /** The first means yes. */
  readonly choices: (question: Question) => readonly [yes: Choice, ...others: Choice[]];
  /** Names the occasion: the same question on the same occasion is asked once. */
  readonly occasion: (question: Question, session_id: string) => string;
  readonly title: (question: Question) => string;
  /** Why a person is asked. */
  readonly reason: (question: Question) => string;
  readonly subject: {
    /** JSON Schema of what the approval holds for. */
    readonly schema: JsonObject;
    readonly of: (question: Question, context: SubjectContext) => JsonObject;
  };
  readonly expiresInMs: "workspace default" | ((question: Question) => number | null);
  /** What the waiting session adds to `approval.decided` in its log; "nothing": it records an event of its own instead. */
  readonly recorded: "nothing" | ((question: Question) => { readonly call_id?: string });
  /** How the asker gets the words that come with a decision: with the secrets that a person wrote there, or without. */
  readonly words: "as written" | "as recorded";
  /** Choices that mean nothing without words: the reason, or a result, is the answer itself. */
  readonly needWords: readonly Choice[];
  /** What a yes holds beside its words: the fields of a form, or the visit to an address. */
  readonly wants: "nothing" | ((subject: JsonObject) => Wanted | undefined);
  readonly onApprove: "nothing" | FollowUp<Parts>;
  readonly onDeny: "nothing" | FollowUp<Parts>;
  /** The reason of the denial that an expired question counts as; "nothing": the session goes on waiting. */
  readonly onExpiry: "nothing" | ((expires_at: string) => string);
  readonly isStillOpen: "until decided" | ((deciding: Deciding<Parts>) => Promise<Result<StillOpen>>);
  readonly studio: {
    /** In a list of everything that lands in the inbox. */
    readonly plural: string;
    readonly labels: { readonly [C in Choice]: string };
  };
}

/** A kind with its question unknown: what decides and lists needs none. */
export type AnyApprovalKind<Kind extends ApprovalKindName, Parts> = ApprovalKind<Kind, never, Parts, string>;

/** A kind as its asker uses it: what follows from a decision is no concern of the asker. */
export type AskedKind<Question> = ApprovalKind<ApprovalKindName, Question, never, string>;

/** Every kind there is. A kind that is missing, or lacks a member, does not compile. */
export type ApprovalKinds<Parts> = { readonly [Kind in ApprovalKindName]: AnyApprovalKind<Kind, Parts> };

export interface SubjectContext {
  /** Empty where the question is about none. */
  readonly session_id: string;
  /** The redactor of the log, for subjects that have not passed through it. */
  readonly redact: (subject: JsonObject) => JsonObject;
}

export interface Deciding<Parts> {
  readonly approval: Approval;
  readonly choice: string;
  readonly by: Caller;
  readonly parts: Parts;
}

/** Looks whether the effect can be had, and returns it; it is carried out after the decision is stored. */
export type FollowUp<Parts> = (deciding: Deciding<Parts>) => Promise<Result<CarryOut | Gone>>;

export type StillOpen =
  | { readonly state: "open" }
  /** A pending decision has had its effect: it only has to count. */
  | { readonly state: "carried out" }
  | Gone;

/** The subject is no longer there: the question is superseded. */
export interface Gone {
  readonly state: "gone";
  readonly why: string;
  readonly hint: string | null;
}
