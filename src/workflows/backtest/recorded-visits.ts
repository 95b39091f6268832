import type { EventPayloads } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, isJsonObject, type JsonObject, ok, type Result, sha256 } from "#core/values";
import { type Event, isEvent } from "#log";
import type { Cycle } from "../definitions/cycle.ts";
import { fixer } from "../policies/plan-dispatch.ts";
import { judge } from "../run/judge.ts";
import { beginCycle, type CycleState, enter, type Gathered, visitOf } from "../run/state.ts";

type Gated = Event<"workflow.policy_gated">;

/** One recorded visit of one phase: the state before it, the decisions, and the outcome. */
export interface RecordedVisit {
  /** The state before the personas were asked. */
  readonly state: CycleState;
  readonly entered: Event<"workflow.entered">;
  /** Decisions before a persona was asked. */
  readonly dispatched: readonly Gated[];
  readonly gathered: Event<"workflow.gathered"> | null;
  /** Fingerprints of findings that were mended before the phase was judged. */
  readonly mended: readonly string[];
  /** Decisions on whether a fix may be written, with its file. */
  readonly fixes: readonly { readonly file: string; readonly gated: readonly Gated[] }[];
  /** Decisions over what was gathered. */
  readonly gated: readonly Gated[];
  readonly judged: Event<"workflow.judged"> | null;
}

/**
 * The visits of a recorded cycle, with the state before each rebuilt by the pure judgement that the run used. A record that
 * does not lead to the same judgement is an error: without the state no policy can be evaluated.
 */
export function recordedVisits(events: readonly Event[], cycle: Cycle): Result<readonly RecordedVisit[]> {
  const begun = begin(events, cycle);
  if (!begun.ok) return begun;
  let state = begun.value;
  const visits: RecordedVisit[] = [];
  const asked: Gated[] = [];
  let open: { -readonly [K in keyof RecordedVisit]: RecordedVisit[K] } | undefined;
  for (const event of events) {
    if (isEvent(event, "workflow.entered")) {
      const { phase, visit } = event.payload;
      if (phase !== state.phase.id || visit !== visitOf(state))
        return err(diverged(event, `it is in ${phase}, and by its rules it would be in ${state.phase.id}`));
      open = { state, entered: event, dispatched: [], gathered: null, mended: [], fixes: [], gated: [], judged: null };
      visits.push(open);
    }
    if (!open) continue;
    if (isEvent(event, "workflow.approval_given")) {
      const { decision, by, reason } = event.payload;
      // A person's decisions on findings do not change how the phase began.
      if (open.gathered) continue;
      state = { ...state, approval: { decision, by, reason } };
      open.state = state;
    } else if (isEvent(event, "workflow.policy_gated")) {
      if (event.payload.subject === fixer && open.gathered) asked.push(event);
      else if (open.gathered) open.gated = [...open.gated, event];
      else open.dispatched = [...open.dispatched, event];
    } else if (isEvent(event, "workflow.gathered")) {
      open.gathered = event;
    } else if (isEvent(event, "workflow.finding_routed")) {
      const { file } = event.payload;
      if (file !== undefined && asked.length > 0) open.fixes = [...open.fixes, { file, gated: asked.splice(0) }];
      if (event.payload.outcome === "applied") open.mended = [...open.mended, event.payload.finding];
    } else if (isEvent(event, "workflow.judged")) {
      open.judged = event;
      if (open.gathered) state = judge(state, gatheredOf(open.gathered.payload), open.mended).state;
    }
    if (isEvent(event, "workflow.phase_advanced")) {
      const to = cycle.phases.find(({ id }) => id === event.payload.to_phase);
      if (to) state = enter(state, to);
      open = undefined;
    }
  }
  return ok(visits);
}

export function gatheredOf(payload: EventPayloads["workflow.gathered"]): Gathered {
  return payload as Gathered; // an output is JSON, which its generated type only calls unknown
}

function begin(events: readonly Event[], cycle: Cycle): Result<CycleState> {
  const started = events.find((event) => event.type === "workflow.started");
  const order = events.find((event) => event.type === "wo.started");
  if (!started || !order) return err(domainError("NOT_FOUND", "the session began no cycle"));
  const { mode, input_hash } = started.payload;
  const { work_order, work_order_id, framework_id, agent_class, caller_id, dev_mode } = order.payload;
  const given = work_order["input"];
  const input = isJsonObject(given) ? (given as JsonObject) : {};
  if (input_hash !== undefined && sha256(canonicalJson(input)) !== input_hash)
    return err(
      diverged(started, "a hook changed its input at WorkflowStart, and what it made of it is not in the record"),
    );
  return ok(
    beginCycle({
      cycle,
      mode: mode ?? cycle.definition.data.mode ?? "interactive",
      input,
      provenance: { work_order_id, framework_id, agent_class, caller_id, dev_mode },
    }),
  );
}

function diverged({ seq }: Event, why: string) {
  return domainError("REPLAY_DIVERGED", `the cycle cannot be judged again from event ${seq} on: ${why}`);
}
