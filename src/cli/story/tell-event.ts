import type { Event, EventType } from "#events";
import type { Screen } from "../output/screen.ts";
import { callText, resultText } from "./call-words.ts";
import { nameInLine, oneLine, row } from "./row.ts";
import { tellCycle } from "./tell-cycle.ts";

/** What the story remembers between two events. */
export interface StorySoFar {
  /** Tokens and time of each role since its last line. */
  readonly spent: Map<string, { tokens: number; ms: number }>;
  /** What the latest answer wants to call, by name: a gate is asked before the call is recorded. Empty where it could be another's. */
  readonly wanted: Map<string, unknown>;
  /** The latest gate decision, to stand beside the call that it allowed. */
  gate: Event<"hook.fired">["payload"] | undefined;
  speaker: string;
  /** Whether lead, planner, worker and reviewer take part. */
  hasRoles: boolean;
  /** Whether it is a cycle, where several may answer at once. */
  isCycle: boolean;
}

export function newStory(): StorySoFar {
  return { spent: new Map(), wanted: new Map(), gate: undefined, speaker: "worker", hasRoles: false, isCycle: false };
}

/** The lines that an event adds to the story of a request, in the order in which it happened. Most events add none. */
export function tellEvent(event: Event, so: StorySoFar, screen: Screen): readonly string[] {
  const tell = tellers[event.type] as Teller<EventType> | undefined;
  return tell?.(event, so, screen) ?? [];
}

type Teller<T extends EventType> = (event: Event<T>, so: StorySoFar, screen: Screen) => readonly string[];

/** How each kind of event is told; what is not here is not told. */
const tellers: { readonly [T in EventType]?: Teller<T> } = {
  "llm.request": ({ payload }, so) => {
    so.speaker = payload.role;
    return [];
  },
  "llm.response": ({ payload }, so, screen) => hear(payload, so, screen),
  "agent.transition": (_, so) => {
    so.hasRoles = true;
    return [];
  },
  "lead.directive": ({ payload }, so, screen) => [
    row(screen, { who: "lead", what: oneLine(payload.directive.intent), right: bill(so, "lead") }),
  ],
  "advisor.note": ({ payload: { note } }, so, screen) => [
    row(screen, {
      who: "advisor",
      what: oneLine(`${note.recommendation}: ${note.advice}`),
      right: bill(so, "advisor"),
    }),
  ],
  "plan.made": planned,
  "worker.step": worked,
  "review.result": reviewed,
  "review.escalated": ({ payload }, _, screen) => [
    row(screen, { who: "", what: screen.yellow(`a person must decide: ${oneLine(payload.reason)}`), right: "" }),
  ],
  "hook.fired": ({ payload }, so, screen) => gated(payload, so, screen),
  "tool.invoke": called,
  "tool.output": returned,
  "tool.refused": refused,
  "schema.violation": ({ payload }, so, screen) => [
    row(screen, { who: so.speaker, what: screen.yellow(`not valid ${payload.schema_id}`), right: "" }),
    row(screen, { who: "", what: screen.dim(oneLine(payload.message ?? "")), right: "" }),
  ],
  "context.compacted": ({ payload: { removed, tokens_before, tokens_after } }, _, screen) => {
    const what = screen.dim(`${removed} messages shortened: ${tokens_before} to ${tokens_after} tokens`);
    return [row(screen, { who: "", what, right: "" })];
  },
  "workflow.entered": inCycle,
  "workflow.gathered": inCycle,
  "workflow.policy_gated": inCycle,
  "workflow.finding_routed": inCycle,
  "workflow.judged": inCycle,
  "workflow.artifact_written": inCycle,
};

function inCycle(event: Event, so: StorySoFar, screen: Screen): readonly string[] {
  so.isCycle = true;
  return tellCycle(event, screen);
}

function planned({ payload: { plan } }: Event<"plan.made">, so: StorySoFar, screen: Screen): readonly string[] {
  const steps = plan.steps.map((step) => `${step.id} ${step.description}`).join("; ");
  const what = oneLine(`${plan.steps.length} step${plan.steps.length === 1 ? "" : "s"}: ${steps}`);
  return [row(screen, { who: "planner", what, right: bill(so, "planner") })];
}

function worked({ payload }: Event<"worker.step">, so: StorySoFar, screen: Screen): readonly string[] {
  const right = bill(so, "worker");
  if (right === "") return [];
  const end = payload.status === "completed" ? "done" : screen.red("not done");
  return [row(screen, { who: "worker", what: `${nameInLine(payload.step_id)} ${end}`, right })];
}

function reviewed({ payload }: Event<"review.result">, so: StorySoFar, screen: Screen): readonly string[] {
  const { verdict, feedback } = payload;
  const word = verdict === "pass" ? screen.green(verdict) : screen.red(verdict);
  return [row(screen, { who: "reviewer", what: `${word}: ${oneLine(feedback)}`, right: bill(so, "reviewer") })];
}

function called({ payload: { name, args } }: Event<"tool.invoke">, so: StorySoFar, screen: Screen): readonly string[] {
  const right = so.gate ? screen.dim(`allowed by ${so.gate.handler}`) : "";
  so.gate = undefined;
  return [row(screen, { who: so.speaker, what: callText(name, args), right })];
}

function returned({ payload }: Event<"tool.output">, so: StorySoFar, screen: Screen): readonly string[] {
  const text = oneLine(resultText(payload.content));
  const what = `${screen.sign.arrow} ${payload.is_error ? screen.red(text) : text}`;
  return [row(screen, { who: "", what, right: bill(so, so.speaker) })];
}

function refused({ payload }: Event<"tool.refused">, so: StorySoFar, screen: Screen): readonly string[] {
  const isTold = payload.code === "GATE_DENIED" && so.gate?.decision === "deny" && so.gate.subject === payload.name;
  so.gate = undefined;
  if (isTold) return []; // by the hook that denied it, with its reason
  return [
    row(screen, { who: so.speaker, what: nameInLine(payload.name), right: screen.yellow(`refused: ${payload.code}`) }),
    row(screen, { who: "", what: screen.dim(oneLine(payload.reason)), right: "" }),
  ];
}

function hear(payload: Event<"llm.response">["payload"], so: StorySoFar, screen: Screen): readonly string[] {
  const spent = so.spent.get(payload.role) ?? { tokens: 0, ms: 0 };
  spent.tokens += payload.usage.input_tokens + payload.usage.output_tokens;
  spent.ms += payload.duration_ms;
  so.spent.set(payload.role, spent);
  so.wanted.clear();
  const calls = so.isCycle ? [] : (payload.tool_calls ?? []);
  for (const { name, args } of calls) so.wanted.set(name, so.wanted.has(name) ? undefined : args);
  if (payload.status === "ok") return answered(payload, so, screen);
  return [
    row(screen, {
      who: payload.role,
      what: screen.red(oneLine(payload.error?.message ?? "the model failed")),
      right: screen.red(payload.error?.code ?? ""),
    }),
  ];
}

/** An order of a single step has no roles to tell of: its answer is a line of its own. */
function answered(payload: Event<"llm.response">["payload"], so: StorySoFar, screen: Screen): readonly string[] {
  if (so.hasRoles || (payload.tool_calls?.length ?? 0) > 0) return [];
  return [row(screen, { who: payload.role, what: "answered", right: bill(so, payload.role) })];
}

/** Denials are told when they happen; an allowance stands beside the call that it allowed. */
function gated(payload: Event<"hook.fired">["payload"], so: StorySoFar, screen: Screen): readonly string[] {
  if (payload.point === "PreToolUse") so.gate = payload;
  const blocks = payload.decision === "deny" || payload.decision === "ask";
  if (payload.point === "Stop" || (!blocks && payload.decision !== "transform")) return [];
  const subject = payload.subject ?? payload.point;
  const verb =
    payload.decision === "transform"
      ? screen.yellow(`rewritten by ${payload.handler}`)
      : payload.decision === "ask"
        ? screen.yellow(`${payload.handler} asks a person`)
        : screen.red(`denied by ${payload.handler}`);
  return [
    row(screen, {
      who: payload.point === "PreToolUse" ? so.speaker : "you",
      what: callText(subject, payload.point === "PreToolUse" ? so.wanted.get(subject) : undefined),
      right: verb,
    }),
    row(screen, { who: "", what: screen.dim(`rule: ${oneLine(payload.reason)}`), right: "" }),
  ];
}

function bill(so: StorySoFar, role: string): string {
  const spent = so.spent.get(role);
  so.spent.delete(role);
  if (!spent) return "";
  return `${(spent.ms / 1000).toFixed(1)} s  ${spent.tokens.toLocaleString("en-US").padStart(6)} tok`;
}
