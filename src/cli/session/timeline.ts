import type { Event, EventType } from "#events";
import { callText, resultText } from "../story/call-words.ts";

/** One line of a session's story, before it is drawn. */
export interface TimelineRow {
  readonly seq: number;
  /** Since the first event. */
  readonly atMs: number;
  /** How far it is indented: under the role or the event that caused it. */
  readonly depth: number;
  readonly kind: RowKind;
  readonly text: string;
  gate?: Gate;
  durationMs?: number;
  tokens?: number;
  usd?: number;
  /** A second line below: what came of it. */
  outcome?: string;
  isBad?: boolean;
  /** The events it was made of, for `--full`. */
  readonly events: Event[];
}

export type RowKind = "session" | "role" | "model" | "tool" | "gate" | "work" | "workflow" | "note";

export interface Gate {
  readonly decision: string;
  readonly by: string;
  readonly reason: string;
}

/** Turns events into rows: a request and its response are one, so are a call, the decision before it and its result. */
export class Timeline {
  readonly rows: TimelineRow[] = [];
  readonly #requests = new Map<string, TimelineRow>();
  readonly #calls = new Map<string, TimelineRow>();
  readonly #depths = new Map<string, number>();
  /** The newest PreToolUse decision, to stand beside the call that it allowed. */
  readonly #permits = new Map<string, Event<"hook.fired">>();
  #start: number | undefined;
  #isInRole = false;

  add(event: Event): void {
    const atMs = Date.parse(event.ts);
    this.#start ??= atMs;
    const tell = tellers[event.type] as ((timeline: Timeline, event: Event) => void) | undefined;
    if (tell) tell(this, event);
    else this.row(event, "note", event.type);
  }

  row(event: Event, kind: RowKind, text: string, more: Partial<TimelineRow> = {}): TimelineRow {
    const depth = more.depth ?? this.#depthOf(event);
    const row: TimelineRow = {
      seq: event.seq,
      atMs: Date.parse(event.ts) - (this.#start ?? 0),
      depth,
      kind,
      text,
      events: [event],
      ...more,
    };
    this.#depths.set(event.id, depth);
    this.rows.push(row);
    return row;
  }

  role(event: Event<"agent.transition">): void {
    const { from, to, reason } = event.payload;
    const isEnd = to === "DONE" || to === "FAIL";
    this.#isInRole = !isEnd;
    this.row(event, "role", isEnd ? to.toLowerCase() : event.actor, {
      depth: 0,
      ...(to === "FAIL" ? { isBad: true } : {}),
      ...(to === "REWORK" || reason ? { outcome: reason ?? `${from} sends it back` } : {}),
    });
  }

  request(event: Event<"llm.request">): void {
    const { request_id, model, call } = event.payload;
    this.#requests.set(request_id, this.row(event, "model", `asks ${model}, call ${call}`));
  }

  response(event: Event<"llm.response">): void {
    const { request_id, status, usage, duration_ms, text, tool_calls, error } = event.payload;
    const row = this.#requests.get(request_id) ?? this.row(event, "model", "an answer without a request");
    row.events.push(event);
    row.durationMs = duration_ms;
    row.tokens = usage.input_tokens + usage.output_tokens;
    row.usd = usage.cost_usd ?? 0;
    if (status === "error") row.isBad = true;
    row.outcome = error
      ? `${error.code}: ${error.message}`
      : tool_calls && tool_calls.length > 0
        ? `wants ${tool_calls.map(({ name }) => name).join(", ")}`
        : (text ?? "");
  }

  hook(event: Event<"hook.fired">): void {
    const { point, subject, decision, handler, reason, duration_ms } = event.payload;
    if (point === "PreToolUse" && subject !== undefined && (decision === "allow" || decision === "transform")) {
      this.#permits.set(subject, event);
      return;
    }
    const isStop = point === "Stop"; // it is asked whether the loop may go on: there, deny is the ordinary end
    const said = isStop && decision === "deny" ? "ends" : isStop && decision === "allow" ? "again" : decision;
    const row = this.row(
      event,
      "gate",
      isStop ? "Stop: may the loop go on?" : subject ? `${point} ${subject}` : point,
      {
        gate: { decision: said, by: handler, reason },
      },
    );
    row.durationMs = duration_ms;
    if (decision === "deny" && !isStop) row.isBad = true;
  }

  invoke(event: Event<"tool.invoke">): void {
    const { call_id, name, args } = event.payload;
    const row = this.row(event, "tool", callText(name, args));
    const permit = this.#permits.get(name);
    this.#permits.delete(name);
    if (permit) {
      const { decision, handler, reason } = permit.payload;
      row.gate = { decision, by: handler, reason };
      row.events.unshift(permit);
    }
    this.#calls.set(call_id, row);
  }

  result(event: Event<"tool.result">): void {
    const { call_id, status, duration_ms, error } = event.payload;
    const row = this.#calls.get(call_id) ?? this.row(event, "tool", "a result without a call");
    row.events.push(event);
    row.durationMs = duration_ms;
    if (status !== "ok") {
      row.isBad = true;
      row.outcome = error ? `${error.code}: ${error.message}` : status;
    }
  }

  output(event: Event<"tool.output">): void {
    const { call_id, content, shown, error } = event.payload;
    const row = this.#calls.get(call_id);
    if (!row) return;
    row.events.push(event);
    row.outcome ??= error ? `${error.code}: ${error.message}` : shown ? resultText(content) : "kept from the model";
  }

  /** What a role's answer came to, in place of its raw text. */
  conclude(event: Event, outcome: string, isBad = false): void {
    const row = this.rows.findLast(({ kind }) => kind === "model");
    if (!row) return void this.row(event, "work", event.type, { outcome });
    row.events.push(event);
    row.outcome = outcome;
    if (isBad) row.isBad = true;
  }

  /** Under the event that caused it, where it names one; else under the role that is at work. */
  #depthOf(event: Event): number {
    const cause = event.parent_id === null ? undefined : this.#depths.get(event.parent_id);
    return cause === undefined ? (this.#isInRole ? 1 : 0) : cause + 1;
  }
}

const quarantineWords = {
  kept: "turn in quarantine: what it wrote waits for a person",
  released: "turn released from quarantine: what it wrote is in the workspace",
  dropped: "turn dropped: what it wrote is gone",
} as const;

/** How each type of event is told; a type that is not here is told by its name. */
const tellers: { readonly [T in EventType]?: (timeline: Timeline, event: Event<T>) => void } = {
  "session.start": (timeline, event) =>
    void timeline.row(event, "session", `session started on ${event.payload.tier}`, { depth: 0 }),
  "session.close": (timeline, event) =>
    void timeline.row(event, "session", `session closed: ${event.payload.status}`, {
      depth: 0,
      ...(event.payload.ok ? {} : { isBad: true }),
      ...(event.payload.reason ? { outcome: event.payload.reason } : {}),
    }),
  "session.resumed": (timeline, event) =>
    void timeline.row(event, "session", `resumed after event ${event.payload.from_seq}`, { depth: 0 }),
  "session.halted": (timeline, event) =>
    void timeline.row(event, "session", `halted by ${event.payload.by}`, {
      depth: 0,
      isBad: true,
      outcome: event.payload.reason,
    }),
  "log.recovered": (timeline, event) =>
    void timeline.row(event, "note", `recovered: ${event.payload.cut_bytes} bytes of an unfinished write cut off`, {
      depth: 0,
    }),
  "wo.started": (timeline, event) =>
    void timeline.row(event, "work", `work order ${event.payload.work_order_id} started`, { depth: 0 }),
  "wo.completed": (timeline, event) =>
    void timeline.row(event, "work", `work order ${event.payload.outcome.status}`, { depth: 0 }),
  "wo.failed": (timeline, event) =>
    void timeline.row(event, "work", `work order ${event.payload.outcome.status}`, { depth: 0, isBad: true }),
  "wo.rejected": (timeline, event) =>
    void timeline.row(event, "work", "work order rejected", {
      depth: 0,
      isBad: true,
      outcome: `${event.payload.error.code}: ${event.payload.error.message}`,
    }),
  "attention.assembled": (timeline, event) => {
    const { fragments, tokens, outcome, error } = event.payload;
    const pieces = `${fragments.length} ${fragments.length === 1 ? "piece" : "pieces"}`;
    timeline.row(event, "work", `read ${pieces} of context, ${tokens} tokens`, {
      depth: 0,
      ...(error ? { isBad: true, outcome: `${error.code}: ${error.message}` } : {}),
      ...(!error && outcome !== "complete" && outcome !== "empty" ? { outcome } : {}),
    });
  },
  "aperture.changed": (timeline, event) =>
    void timeline.row(event, "work", `aperture ${event.payload.from} to ${event.payload.to}`),
  "delegation.made": (timeline, event) =>
    void timeline.row(event, "work", `hands down ${event.payload.child_work_order_id}`),
  "delegation.ended": (timeline, event) =>
    void timeline.row(event, "work", `${event.payload.child_work_order_id} came back: ${event.payload.status}`, {
      isBad: event.payload.status !== "success",
    }),
  "context.compacted": (timeline, event) =>
    void timeline.row(
      event,
      "work",
      `${event.payload.removed} messages shortened: ${event.payload.tokens_before} to ${event.payload.tokens_after} tokens`,
    ),
  "llm.attempt": (timeline, event) =>
    void timeline.row(event, "note", `try ${event.payload.attempt} failed`, {
      outcome: `${event.payload.error.code}: ${event.payload.error.message}`,
    }),
  "review.escalated": (timeline, event) =>
    void timeline.row(event, "note", "a person must decide", { isBad: true, outcome: event.payload.reason }),
  "skill.invoke": (timeline, event) =>
    void timeline.row(event, "work", `skill ${event.payload.skill}: ${event.payload.reason}`, {
      depth: 0,
      ...(event.payload.missing_tools
        ? { outcome: `goes without ${event.payload.missing_tools.map(({ tool }) => tool).join(", ")}` }
        : {}),
    }),
  "skill.complete": (timeline, event) =>
    void timeline.row(event, "work", `skill ${event.payload.skill} ${event.payload.ok ? "done" : "failed"}`, {
      depth: 0,
      ...(event.payload.ok ? {} : { isBad: true }),
    }),
  "skill.skipped": (timeline, event) =>
    void timeline.row(event, "note", `skill skipped: ${event.payload.path}`, {
      depth: 0,
      outcome: event.payload.reason,
    }),
  "approval.requested": (timeline, event) =>
    void timeline.row(event, "note", `waits for a person: ${event.payload.title}`, { outcome: event.payload.reason }),
  "approval.decided": (timeline, event) =>
    void timeline.row(
      event,
      "note",
      `${event.payload.by}: ${event.payload.choice}`,
      event.payload.reason === "" ? {} : { outcome: event.payload.reason },
    ),
  "turn.started": (timeline, event) =>
    void timeline.row(event, "work", `turn ${event.payload.turn_number} of ${event.payload.package_id} started`),
  "turn.committed": (timeline, event) => void timeline.row(event, "work", "turn committed: it wrote what it declared"),
  "turn.failed": (timeline, event) =>
    void timeline.row(event, "work", "turn failed: nothing that it wrote landed", {
      isBad: true,
      outcome: `${event.payload.code}: ${event.payload.message}`,
    }),
  "turn.aborted": (timeline, event) =>
    void timeline.row(event, "work", "turn broken off", { isBad: true, outcome: event.payload.reason }),
  "turn.quarantined": (timeline, event) =>
    void timeline.row(
      event,
      "work",
      quarantineWords[event.payload.action],
      event.payload.by === undefined ? {} : { outcome: `by ${event.payload.by}` },
    ),
  "agent.transition": (timeline, event) => timeline.role(event),
  "llm.request": (timeline, event) => timeline.request(event),
  "llm.response": (timeline, event) => timeline.response(event),
  "llm.refused": (timeline, event) =>
    void timeline.row(event, "model", `${event.payload.role}: request refused`, {
      isBad: true,
      gate: { decision: "refused", by: event.payload.code, reason: event.payload.reason },
    }),
  "hook.fired": (timeline, event) => timeline.hook(event),
  "tool.invoke": (timeline, event) => timeline.invoke(event),
  "tool.result": (timeline, event) => timeline.result(event),
  "tool.output": (timeline, event) => timeline.output(event),
  "tool.refused": (timeline, event) =>
    void timeline.row(event, "tool", event.payload.name, {
      isBad: true,
      gate: { decision: "refused", by: event.payload.code, reason: event.payload.reason },
    }),
  "worker.report": (timeline, event) => timeline.conclude(event, event.payload.output),
  "review.result": (timeline, event) =>
    timeline.conclude(event, `${event.payload.verdict}: ${event.payload.feedback}`, event.payload.verdict === "fail"),
  "lead.directive": (timeline, event) => timeline.conclude(event, event.payload.directive.intent),
  "plan.made": (timeline, event) =>
    timeline.conclude(event, event.payload.plan.steps.map(({ id, description }) => `${id} ${description}`).join("; ")),
  "advisor.note": (timeline, event) =>
    timeline.conclude(event, `${event.payload.note.recommendation}: ${event.payload.note.advice}`),
  "worker.step": (timeline, event) => {
    const { step_id, status, error } = event.payload;
    if (status === "failed")
      timeline.row(event, "work", `step ${step_id} failed`, {
        isBad: true,
        ...(error ? { outcome: `${error.code}: ${error.message}` } : {}),
      });
  },
  "acceptance.checked": (timeline, event) =>
    void timeline.row(event, "work", event.payload.passed ? "accepted" : "not accepted", {
      depth: 0,
      ...(event.payload.passed
        ? {}
        : {
            isBad: true,
            outcome: event.payload.gate_results
              .filter(({ passed }) => !passed)
              .map(({ gate }) => gate)
              .join(", "),
          }),
    }),
  "budget.updated": () => undefined, // every model call has two; the cost table sums them up
  "schema.violation": (timeline, event) =>
    void timeline.row(event, "note", `does not keep ${event.payload.schema_id} (${event.payload.where})`, {
      isBad: true,
    }),
  "event.amended": (timeline, event) =>
    void timeline.row(event, "note", `corrects ${event.payload.amends}: ${event.payload.reason}`),
  "workflow.started": (timeline, event) =>
    void timeline.row(event, "workflow", `cycle ${event.payload.cycle_id}`, { depth: 0 }),
  "workflow.phase_advanced": (timeline, event) =>
    void timeline.row(event, "workflow", `phase ${event.payload.to_phase ?? "none"}`, { depth: 0 }),
  "workflow.policy_gated": (timeline, event) =>
    void timeline.row(event, "gate", `policy ${event.payload.policy_id}`, {
      gate: { decision: event.payload.decision, by: event.payload.policy_id, reason: event.payload.reason },
      ...(event.payload.decision === "deny" ? { isBad: true } : {}),
    }),
  "workflow.completed": (timeline, event) =>
    void timeline.row(event, "workflow", `cycle ${event.payload.verdict}`, { depth: 0 }),
  "workflow.aborted": (timeline, event) =>
    void timeline.row(event, "workflow", "cycle aborted", { depth: 0, isBad: true, outcome: event.payload.reason }),
};
