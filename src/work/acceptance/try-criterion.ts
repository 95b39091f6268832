import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { hidingRecorder } from "#effects";
import { type Event } from "#log";
import { maskJson, maskText } from "#log/redaction";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";
import { openOfOrder } from "../flow/sealed-order.ts";
import type { Criterion } from "./criteria.ts";
import type { AcceptanceFacts } from "./facts.ts";

/** How one criterion went. */
export type GateResult = Event<"acceptance.checked">["payload"]["gate_results"][number];

/** Tries one criterion. It cannot be tried: it has failed. An error is a flow that was stopped meanwhile. */
export async function tryCriterion(
  deps: Pick<FlowDependencies, "runCheck" | "seals" | "redact">,
  { session, signal }: Pick<FlowState, "session" | "signal">,
  context: ExecutionContext,
  { criterion, facts }: { readonly criterion: Criterion; readonly facts: AcceptanceFacts },
): Promise<Result<GateResult>> {
  const gate = criterion.name;
  if (criterion.kind === "expression") return ok({ gate, ...judge(criterion.expression.evaluate({ ...facts })) });
  const written = await openOfOrder(deps, criterion.command, `the criterion ${gate}`, session.session_id);
  if (!written.ok) return ok({ gate, passed: false, message: `${written.error.code}: ${written.error.message}` });
  const { value: command, opened } = written.value;
  const mask = maskText(opened);
  const ran = await deps.runCheck({
    command,
    stdin: JSON.stringify(facts),
    scratchFiles: [
      { name: "answer.txt", text: facts.answer, variable: "WRIT_ANSWER_FILE" },
      { name: "changes.json", text: JSON.stringify(facts.files), variable: "WRIT_CHANGES_FILE" },
    ],
    mandate: context.mandate,
    recorder: hidingRecorder(session, opened),
    redact: (value) => deps.redact(mask ? maskJson(value, mask) : value),
    signal,
    timeoutMs: (criterion.timeout_seconds ?? context.budget_limits.timeout_seconds) * 1000,
  });
  if (signal.aborted) return err(domainError("CANCELED", `the flow was stopped while ${gate} was tried`));
  const result = ran.ok
    ? { gate, ...ran.value }
    : { gate, passed: false, message: `${ran.error.code}: ${ran.error.message}` };
  return ok(mask ? maskJson(result, mask) : result);
}

function judge(value: Result<unknown>): { readonly passed: boolean; readonly message: string } {
  if (!value.ok) return { passed: false, message: `it has no value: ${value.error.message}` };
  if (value.value === true) return { passed: true, message: "it is true" };
  return { passed: false, message: value.value === false ? "it is false" : "it is neither true nor false" };
}
