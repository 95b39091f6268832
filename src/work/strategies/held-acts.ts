import type { AgentContext, ToolCall } from "#agents";
import type { WorkOrder } from "#core/contracts";
import { err, isJsonObject, type JsonObject, ok, type Result } from "#core/values";
import { type HeldAct, heldActs } from "#effects";
import { allowedActs, type ToolNature, type ValueJudge } from "#governance/values";
import { askIn, pendingError, type Verdict } from "#people";
import { hasNoPerson } from "#workflows";
import type { Dispatch } from "../flow/dispatch-port.ts";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";

type DecideHeld = NonNullable<AgentContext["decideHeld"]>;
type HeldDecision = Extract<Awaited<ReturnType<DecideHeld>>, { readonly ok: true }>["value"][number];

/** What dispatch says of a call that it held back: the call as it would run. */
interface HeldCall {
  readonly args: JsonObject;
  readonly tool_hash: string;
  readonly annotations: ToolNature;
}

interface Holding {
  /** Calls whose values are in doubt wait until they are decided together. */
  readonly dispatch: Dispatch;
  readonly decide: DecideHeld;
}

/**
 * Holds the doubtful acts of one agent back, and asks a person about all that wait at once. In a mode without a person they are
 * refused.
 */
export function holdingActs(
  { inbox }: Pick<FlowDependencies, "inbox">,
  { session, request, tally }: Pick<FlowState, "session" | "request" | "tally">,
  { work_order, mode = work_order.mode }: Pick<ExecutionContext, "work_order"> & Pick<WorkOrder, "mode">,
  next: Dispatch,
): Holding {
  const held = new Map<string, HeldCall>();
  return {
    async dispatch(call, caller) {
      const outcome = await next(call, { ...caller, doubtful: hasNoPerson(mode) ? "refuse" : "hold" });
      const kept = !outcome.ok && outcome.error.code === "ACT_HELD" ? outcome.error.details["held"] : undefined;
      if (kept !== undefined) held.set(call.id, kept as HeldCall);
      return outcome;
    },
    async decide(calls, role) {
      const before = repeatedByFork(calls, session.past);
      if (before) return ok(before);
      const acts = await doubtfulActs(calls, held, tally.values);
      if (!acts.ok) return acts;
      if (acts.value.length === 0) return ok(calls.map(allowedCall));
      const question = { role, work_order_id: work_order.work_order_id, acts: acts.value };
      const asked = await askIn(inbox, request.caller_id, session)(heldActs, question);
      if (!asked.ok) return asked;
      const verdict = asked.value;
      if (verdict.state === "waiting") return err(pendingError(verdict, heldActs.title(question)));
      const allowed = allowedActs(verdict.choice ?? "", verdict.reason, acts.value.length);
      const asks = acts.value.map(({ call_id }) => call_id);
      return ok(
        calls.map((call) => {
          const place = asks.indexOf(call.id);
          const isAllowed = place < 0 || allowed.has(place);
          return isAllowed ? allowedCall(call) : { call, second_id: null, reason: whyNot(verdict) };
        }),
      );
    },
  };
}

/** The acts that still have to be asked about, as they are now. A session that goes on keeps to the question in its record. */
async function doubtfulActs(
  calls: readonly ToolCall[],
  held: ReadonlyMap<string, HeldCall>,
  values: ValueJudge,
): Promise<Result<readonly HeldAct[]>> {
  const recorded = values.askedAbout(calls.map(({ id }) => id))?.["acts"];
  if (Array.isArray(recorded)) return ok(recorded.filter(isJsonObject) as unknown as readonly HeldAct[]);
  const acts: HeldAct[] = [];
  for (const call of calls) {
    const kept = held.get(call.id);
    if (!kept) continue;
    const { args, tool_hash, annotations } = kept;
    const judged = await values.judge({ call_id: secondIdOf(call), tool: call.name, args, annotations });
    if (!judged.ok) return judged;
    // What has become known meanwhile needs no question; what is refused now is refused when it is called.
    if (judged.value?.verdict !== "ask") continue;
    const { values: labels, rule, rules_hash, rows } = judged.value;
    acts.push({
      call_id: call.id,
      tool: call.name,
      tool_hash,
      args,
      values: labels.map((label) => ({ ...label })),
      ...(rule === undefined ? {} : { rule }),
      rules_hash,
      doubts: rows,
    });
  }
  return ok(acts);
}

/** What its parent did after a decision, a fork does again without one. */
function repeatedByFork(
  calls: readonly ToolCall[],
  past: FlowState["session"]["past"],
): readonly HeldDecision[] | undefined {
  if (past?.of !== "parent" || !calls.some((call) => past.knowsCall(secondIdOf(call)))) return undefined;
  const reason = "it was not allowed in the session that this one goes on from";
  return calls.map((call) =>
    past.knowsCall(secondIdOf(call)) ? allowedCall(call) : { call, second_id: null, reason },
  );
}

/** The id under which an act that waited is carried out. */
function secondIdOf({ id }: ToolCall): string {
  return `${id}.2`;
}

function allowedCall(call: ToolCall): HeldDecision {
  return { call, second_id: secondIdOf(call), reason: "" };
}

function whyNot(verdict: Exclude<Verdict, { readonly state: "waiting" }>): string {
  const { by, choice, reason } = verdict;
  if (verdict.state === "denied" && verdict.expired) return reason;
  if (choice === "some") return `${by} allowed others, and not this`;
  return `${by} did not allow it${reason === "" ? "" : `: ${reason}`}`;
}
