import { isJsonObject, type JsonObject, type JsonValue } from "#core/values";
import { type Event, type EventType, isEvent } from "#log";

/** Data that the record does not hold. */
export interface InputSources {
  /** Annotations of a tool that is registered here; undefined when it is not. */
  readonly annotationsOf: (tool: string) => JsonObject | undefined;
  /** The hash of a cycle as it was. */
  readonly cycleHash: string | undefined;
}

/**
 * Inputs that a hook may have got at a firing, rebuilt from the events around it. There can be several: where the workspace's
 * key is available, the recorded hash identifies the right one.
 */
export function possibleInputs(at: number, events: readonly Event[], sources: InputSources): readonly JsonObject[] {
  const fired = events[at];
  if (!fired || !isEvent(fired, "hook.fired")) return [];
  const { point, subject = "" } = fired.payload;
  switch (point) {
    case "SessionStart":
      return payloads(events, "session.start").flatMap(({ work_order_id, tier, framework_id }) =>
        [undefined, true].map((subagent) => object({ work_order_id, tier, framework_id, subagent })),
      );
    case "UserPromptSubmit":
      return payloads(events, "wo.started").flatMap(({ work_order }) => {
        const input = work_order["input"];
        return isJsonObject(input) && typeof input["prompt"] === "string" ? [{ prompt: input["prompt"] }] : [];
      });
    case "SkillStart":
      return payloads(events, "skill.invoke").map(({ skill, allowed_tools }) => object({ skill, allowed_tools }));
    case "PreToolUse":
      return toolCalls(at, events, subject, sources.annotationsOf(subject) ?? {});
    case "PostToolUse":
      return toolResults(events, subject);
    case "Stop":
      if (subject === "answer") return answersBefore(at, events);
      return payloads(events.slice(0, at), "review.result").flatMap(({ verdict, rework_count = 0 }) =>
        [true, false].map((terminal) => ({ ok: verdict === "pass", verdict, rework_count, terminal })),
      );
    case "WorkflowStart":
      return cycleStarts(events, sources.cycleHash);
    case "PhaseAdvance":
      return phaseEnds(at, events);
    case "WorkflowComplete":
      return [...payloads(events, "workflow.completed"), ...payloads(events, "workflow.aborted")].map(
        ({ cycle_id, verdict, reason, phases_visited }) => object({ cycle_id, verdict, reason, phases_visited }),
      );
    case "PreCompact":
    case "Elicitation":
    case "ElicitationResult":
      return []; // the number of messages, what a server asked and what it was answered are not in the record
  }
}

/** What an agent had just answered, and how often it was kept from ending before. */
function answersBefore(at: number, events: readonly Event[]): readonly JsonObject[] {
  const answers = payloads(events.slice(0, at), "llm.response").map(({ text }) => text);
  const answer = answers.at(-1) ?? "";
  const before = payloads(events.slice(0, at), "hook.fired").filter(({ point }) => point === "Stop").length;
  return [undefined, true].flatMap((subagent) =>
    [false, true].map((terminal) =>
      object({ ok: true, verdict: "pass", rework_count: before, terminal, answer, subagent }),
    ),
  );
}

/** Calls of a tool in the whole session: by a model, or by the runtime itself. */
function toolCalls(at: number, events: readonly Event[], tool: string, annotations: JsonObject): readonly JsonObject[] {
  const [order] = payloads(events, "session.start");
  const skills = [null, ...payloads(events.slice(0, at), "skill.invoke").map(({ skill }) => skill)];
  const work_order_id = order?.work_order_id ?? "";
  const judged = judgedValues(events);
  const asked = events.flatMap((event, index): readonly { near: number; call: JsonObject }[] => {
    if (isEvent(event, "tool.invoke") && event.payload.name === tool) {
      const { call_id, args, skill } = event.payload;
      const values = judged.get(call_id);
      const call = object({ tool, args, call_id, role: event.actor, annotations, skill, work_order_id, values });
      return [{ near: Math.abs(index - at), call }];
    }
    if (!isEvent(event, "llm.response")) return [];
    const { role, tool_calls = [] } = event.payload;
    return tool_calls
      .filter(({ name }) => name === tool)
      .flatMap(({ id, args }) =>
        skills.map((skill) => ({
          near: Math.abs(index - at),
          call: object({ tool, args, call_id: id, role, annotations, skill, work_order_id, values: judged.get(id) }),
        })),
      );
  });
  return asked.toSorted((a, b) => a.near - b.near).map(({ call }) => call);
}

/** What the rules over values said of each call, which its hooks were shown. */
function judgedValues(events: readonly Event[]): ReadonlyMap<string, JsonObject> {
  const judged = new Map<string, JsonObject>();
  for (const event of events) {
    if (!isEvent(event, "tool.invoke") && !isEvent(event, "tool.refused")) continue;
    const { call_id, values, verdict, rule, rules_hash, shadow } = event.payload;
    if (verdict !== undefined) judged.set(call_id, object({ values, verdict, rule, rules_hash, shadow }));
  }
  return judged;
}

function toolResults(events: readonly Event[], tool: string): readonly JsonObject[] {
  const invoked = payloads(events, "tool.invoke").filter(({ name }) => name === tool);
  return payloads(events, "tool.output")
    .filter(({ name, shown }) => name === tool && shown)
    .flatMap(({ call_id, content, is_error }) =>
      invoked
        .filter((invoke) => invoke.call_id === call_id)
        .map(({ args }) => object({ tool, args, result: content, call_id, ...(is_error ? { is_error: true } : {}) })),
    );
}

function cycleStarts(events: readonly Event[], cycle_hash: string | undefined): readonly JsonObject[] {
  const [order] = payloads(events, "wo.started");
  const given = order?.work_order["input"];
  const input = isJsonObject(given) ? given : {};
  return payloads(events, "workflow.started").map(({ cycle_id, entry_phase, mode }) =>
    object({ cycle_id, entry_phase, mode, input, cycle_hash }),
  );
}

/** The step that the last judgement before it wanted to take. */
function phaseEnds(at: number, events: readonly Event[]): readonly JsonObject[] {
  const before = payloads(events.slice(0, at), "workflow.judged");
  const judged = before.at(-1);
  const [started] = payloads(events, "workflow.started");
  if (!judged || !started) return [];
  const { cycle_id, phase, outcome, to, generation, reason } = judged;
  const aggregate = before.findLast((each) => each.aggregate !== undefined)?.aggregate;
  return [
    object({
      cycle_id,
      from_phase: phase,
      to_phase: outcome === "advance" ? (to ?? null) : outcome === "repeat" ? phase : null,
      generation,
      reason,
      mode: started.mode,
      ...(aggregate === undefined
        ? {}
        : {
            verdict: aggregate.verdict,
            p0_unresolved: aggregate.p0_unresolved ?? 0,
            grade: aggregate.grade ?? 0,
          }),
    }),
  ];
}

/** The input as the hooks of this firing changed it, by the next event. */
export function possibleOutputs(at: number, events: readonly Event[]): readonly JsonValue[] {
  const fired = events[at];
  if (!fired || !isEvent(fired, "hook.fired")) return [];
  const { point, subject } = fired.payload;
  const after = events.slice(at);
  switch (point) {
    case "PreToolUse":
      return payloads(after, "tool.invoke").flatMap(({ name, args }) => (name === subject ? [args as JsonValue] : []));
    case "PostToolUse":
      return payloads(after, "tool.output").flatMap(({ name, content }) =>
        name === subject && content !== undefined ? [content as JsonValue] : [],
      );
    case "UserPromptSubmit":
      return possibleInputs(at, events, { annotationsOf: () => undefined, cycleHash: undefined });
    default:
      return [];
  }
}

function payloads<T extends EventType>(events: readonly Event[], type: T): readonly Event<T>["payload"][] {
  return events.flatMap((event) => (isEvent(event, type) ? [event.payload] : []));
}

/** Payloads are JSON, so a field without a value is left out. */
function object(fields: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}
