import { type DomainError, domainError } from "#core/errors";
import { type Caller, err, type Result } from "#core/values";
import { answerTo, misfitOf, type Wanted } from "./answer-form.ts";
import type { Approval } from "./approval.ts";
import type { ApprovalKinds } from "./approval-kind.ts";
import type { DecisionInput } from "./decide-approval.ts";
import { followUpOf } from "./follow-up.ts";
import type { Inbox } from "./inbox.ts";
import { type Foresee, type Presented, present } from "./present.ts";
import { choiceMeant } from "./words.ts";

/** The inbox together with what follows from its decisions. */
export interface Decisions {
  /** Finds what waits for people outside of sessions, and lets decisions count that only lack their end, so that a list is true. */
  collect(): Promise<Result<void>>;
  /** The choices of a question that say nothing without words. */
  wordedChoices(approval: Pick<Approval, "kind">): readonly string[];
  /** What a yes to a question holds beside its words; undefined where that is nothing. */
  wantedBy(approval: Pick<Approval, "kind" | "subject">): Wanted | undefined;
  /** The question in the one shape of all kinds, with what would come of it now; `whole`: and with what led to it. */
  present(approval: Approval, how?: { readonly whole: boolean }): Promise<Presented>;
  /** `undoMs`: it counts only after so long. */
  decide(by: Caller, approval_id: string, input: DecisionInput, undoMs?: number): Promise<Result<Approval>>;
}

export function createDecisions<Parts>(options: {
  readonly inbox: Inbox;
  readonly kinds: ApprovalKinds<Parts>;
  readonly parts: Parts;
  readonly foresee: Foresee | "nothing";
  readonly collect: () => Promise<Result<void>>;
  /** Continues a session whose question was answered. */
  readonly resumeSession: (session_id: string) => void;
}): Decisions {
  const { inbox, kinds, parts, foresee, collect, resumeSession } = options;
  const wantedBy: Decisions["wantedBy"] = ({ kind, subject }) => {
    const { wants } = kinds[kind];
    return wants === "nothing" ? undefined : wants(subject);
  };
  return {
    collect,
    wantedBy,
    wordedChoices: ({ kind }) => kinds[kind].needWords,
    async present(approval, { whole } = { whole: false }) {
      const looks = foresee !== "nothing" && approval.state === "open";
      const foreseen = looks ? await foresee(approval, { whole }) : undefined;
      return present(approval, kinds[approval.kind], inbox.terms(approval), foreseen);
    },
    async decide(by, approval_id, written, undoMs = 0) {
      const found = await inbox.find(approval_id);
      if (!found.ok) return found;
      const input = { ...written, choice: choiceMeant(written.choice, found.value.choices) };
      const silent = withoutWords(found.value, input, kinds[found.value.kind].needWords);
      if (silent) return err(silent);
      const unfit = withoutFields(found.value, input, wantedBy(found.value));
      if (unfit) return err(unfit);
      const goOn = (decided: Result<Approval>) => {
        if (decided.ok && decided.value.state !== "open" && decided.value.session_id !== null)
          resumeSession(decided.value.session_id);
      };
      const consequence = followUpOf(kinds[found.value.kind], inbox, parts);
      const later = { ms: undoMs, then: goOn };
      const decided = await inbox.decide(by, approval_id, { ...input, later }, consequence);
      goOn(decided);
      return decided;
    },
  };
}

/** An answer that does not fit is refused here, where the person reads it, not when the call is made with it. */
function withoutFields(
  { approval_id, choices }: Approval,
  { choice, reason, result }: DecisionInput,
  wanted: Wanted | undefined,
): DomainError | undefined {
  if (choice !== choices[0] || !wanted || !("form" in wanted)) return undefined;
  const why = misfitOf(wanted.form, answerTo(wanted.form, result, reason));
  if (why === undefined) return undefined;
  return domainError("MALFORMED_INPUT", `the answer does not fit its form: ${why}`, {
    details: { approval_id, hint: `writ inbox approve ${approval_id} --field NAME=VALUE` },
  });
}

/** An answer without words would have to be made up for the person who gave it. */
function withoutWords(
  { approval_id, reason: question }: Approval,
  { choice, reason, result }: DecisionInput,
  needWords: readonly string[],
): DomainError | undefined {
  if (!needWords.includes(choice) || reason.trim() !== "" || (typeof result === "string" && result.trim() !== ""))
    return undefined;
  return domainError("MALFORMED_INPUT", `"${choice}" says nothing without words: ${question}`, {
    details: {
      approval_id,
      hint: `the reason is the answer: writ inbox approve ${approval_id} --choice ${choice} --reason "…"`,
    },
  });
}
