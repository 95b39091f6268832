import { domainError } from "#core/errors";
import { err, ok } from "#core/values";
import { pendingError } from "#people";
import { agentQuestion } from "../../approval-kinds/agent-question.ts";
import { type BuiltinSpec, builtin } from "./builtin-spec.ts";

/** Asks a person through the inbox. The session stops open until there is an answer; repeated, the call finds the same question. */
export const ask: BuiltinSpec<"ask"> = builtin({
  name: "ask",
  description: "Asks the person what you cannot find out and must know. The work waits for the answer.",
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  trust: "trusted",
  staysOpen: true,
  acts: () => [],
  invoke: async ({ question, options = [] }, { ask: askPerson, call_id, role, work_order_id }) => {
    if (!askPerson)
      return err(domainError("TOOL_ERROR", "there is no inbox here: go on without the answer, and say so"));
    const asked = await askPerson(agentQuestion, { call_id, role, work_order_id, question, options });
    if (!asked.ok) return asked;
    const verdict = asked.value;
    if (verdict.state === "waiting") return err(pendingError(verdict, question.replace(/\?+\s*$/, "")));
    const { by, reason } = verdict;
    if (verdict.state === "denied")
      return ok({ answered: false, answer: reason === "" ? "the person declined to answer" : reason, by });
    const answer = typeof verdict.result === "string" && verdict.result !== "" ? verdict.result : reason;
    return ok({ answered: true, answer: answer === "" ? "yes" : answer, by });
  },
});
