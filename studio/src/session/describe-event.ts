import type { Event, EventType } from "../api/types.ts";
import { count } from "../ui/numbers.ts";
import type { StateName } from "../ui/state.tsx";
import { isRule } from "./denial.ts";

/** The lanes by which a timeline is filtered. */
export type Lane = "model" | "tools" | "gates" | "writes" | "flow" | "budget";

export interface Described {
  readonly lane: Lane;
  /** How deep it stands: 0 the flow, 1 a role, 2 what a role does. */
  readonly depth: 0 | 1 | 2;
  readonly subject: string;
  readonly text: string;
  readonly decision?: string;
  readonly state?: StateName;
  readonly tokens?: number;
  readonly durationMs?: number;
  /** Bookkeeping that most readers skip. */
  readonly quiet?: boolean;
}

type Tellers = { readonly [T in EventType]?: (event: Extract<Event, { type: T }>) => Described };

const line = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value)) ?? "";

const stateOfDecision: Record<string, StateName> = { deny: "denied", ask: "waiting" };

const tellers: Tellers = {
  "session.start": ({ payload }) =>
    flow("session", `begins under ${payload.framework_id ?? "its law"}, asked by ${payload.caller_id ?? "someone"}`),
  "session.close": ({ payload }) => ({
    ...flow("session", payload.ok ? "closed, all well" : `closed: ${payload.reason ?? payload.status}`),
    state: payload.ok ? "done" : "failed",
  }),
  "session.halted": ({ payload }) => ({ ...flow("halt", line(payload.reason)), state: "waiting" }),
  "session.resumed": () => flow("session", "taken up again"),
  "wo.started": ({ payload }) => flow("work order", `${payload.work_order_id} · ${payload.agent_class}`),
  "wo.completed": ({ payload }) => ({ ...flow("work order", `${payload.work_order_id} completed`), state: "done" }),
  "wo.failed": ({ payload }) => ({ ...flow("work order", `${payload.work_order_id} failed`), state: "failed" }),
  "wo.rejected": ({ payload }) => ({ ...flow("work order", `rejected: ${payload.error.message}`), state: "denied" }),
  "hook.fired": ({ payload }) => ({
    lane: "gates",
    depth: /ToolUse/.test(payload.point) ? 2 : 0,
    subject: payload.point,
    text: payload.handler === "none" ? "no hook asked" : `${payload.handler}: ${payload.reason}`,
    // Stop asks whether the loop may go on: "deny" is its normal end, not a refusal.
    decision: payload.point === "Stop" && payload.decision === "deny" ? "ends here" : payload.decision,
    durationMs: payload.duration_ms,
    ...(payload.point !== "Stop" && stateOfDecision[payload.decision]
      ? { state: stateOfDecision[payload.decision] as StateName }
      : {}),
  }),
  "llm.request": ({ payload }) => ({
    lane: "model",
    depth: 1,
    subject: payload.role,
    text: `asks ${payload.model} (call ${payload.call}, ${payload.message_count} messages)`,
    quiet: true,
  }),
  "llm.response": ({ payload }) => ({
    lane: "model",
    depth: 1,
    subject: payload.role,
    text:
      payload.status === "error"
        ? line(payload.error)
        : payload.tool_calls && payload.tool_calls.length > 0
          ? `calls ${payload.tool_calls.map((call) => call.name).join(", ")}`
          : saidIn(payload.text ?? ""),
    durationMs: payload.duration_ms,
    ...(payload.usage ? { tokens: tokensOf(payload.usage) } : {}),
    ...(payload.status === "error" ? { state: "failed" as const } : {}),
  }),
  "llm.refused": ({ payload }) => ({
    lane: "model",
    depth: 1,
    subject: payload.role,
    text: `the call was refused: ${payload.reason} (${payload.code})`,
    state: "denied",
  }),
  "llm.attempt": ({ payload }) => ({
    lane: "model",
    depth: 1,
    subject: "router",
    text: `attempt ${payload.attempt} failed: ${line(payload.error)}`,
    state: "failed",
  }),
  "tool.invoke": ({ payload }) => tool(payload.name, line(payload.args)),
  "tool.result": ({ payload: { name, status, error, duration_ms } }) => {
    const denied = status !== "ok" && isRule(error?.code);
    const why = error ? (error.message ?? error.code) : "";
    return {
      ...tool(name, denied ? why : `${status}${why && `: ${why}`}`),
      durationMs: duration_ms,
      quiet: status === "ok",
      ...(denied ? { decision: "deny" } : {}),
      ...(status === "ok" ? {} : { state: denied ? ("denied" as const) : ("failed" as const) }),
    };
  },
  "tool.output": ({ payload }) => tool(payload.name, `→ ${"content" in payload ? line(payload.content) : "withheld"}`),
  "tool.refused": ({ payload }) => ({
    ...tool(payload.name, `refused: ${payload.reason} (${payload.code})`),
    state: "denied",
  }),
  "approval.requested": ({ payload }) => ({
    lane: "gates",
    depth: 2,
    subject: "approval",
    text: `asked for: ${payload.title} (${payload.reason})`,
    state: "waiting",
  }),
  "approval.decided": ({ payload }) => ({
    lane: "gates",
    depth: 2,
    subject: "approval",
    text: `by ${payload.by}${payload.reason ? `: ${payload.reason}` : ""}`,
    decision: payload.choice,
    ...(/^(deny|drop|reject)/.test(payload.choice) ? { state: "denied" as const } : {}),
  }),
  "acceptance.checked": ({ payload }) => ({
    ...flow("acceptance", payload.passed ? "every check of the order passed" : "a check of the order failed"),
    lane: "gates",
    quiet: payload.passed,
    ...(payload.passed ? {} : { state: "failed" as const }),
  }),
  "delegation.made": ({ payload }) => flow("delegation", `to ${payload.child_work_order_id}`),
  "delegation.ended": ({ payload }) => ({
    ...flow("delegation", `${payload.child_work_order_id}: ${payload.status}`),
    ...(payload.status === "success" ? {} : { state: "failed" as const }),
  }),
  "context.compacted": ({ payload }) =>
    flow(
      "context",
      `${count(payload.tokens_before)} → ${count(payload.tokens_after)} tokens, ${payload.removed} messages folded`,
    ),
  "review.escalated": ({ payload }) => ({ ...role("reviewer", `escalated: ${payload.reason}`), state: "waiting" }),
  "effect.resolved": ({ payload }) => ({
    ...tool(payload.name ?? "effect", `a person says: ${payload.outcome.replace("_", " ")}`),
    state: "done",
  }),
  "turn.started": () => write("turn", "starts in its sandbox"),
  "turn.committed": () => ({ ...write("turn", "declared = realized: committed"), state: "done" }),
  "turn.failed": () => ({ ...write("turn", "failed, nothing landed"), state: "failed" }),
  "turn.aborted": () => ({ ...write("turn", "aborted, nothing landed"), state: "failed" }),
  "turn.quarantined": () => ({ ...write("turn", "wrote what it had not declared: quarantined"), state: "denied" }),
  "budget.updated": ({ payload }) => ({
    lane: "budget",
    depth: 2,
    subject: "budget",
    text: `${payload.action} · ${count(payload.left?.tokens ?? 0)} tokens left`,
    quiet: payload.action !== "refuse",
    ...(payload.action === "refuse" ? { state: "denied" as const } : {}),
  }),
  "attention.assembled": ({ payload }) =>
    flow(
      "attention",
      `${payload.fragments.length} ${payload.fragments.length === 1 ? "fragment" : "fragments"}, ${count(payload.tokens)} tokens (${payload.outcome})`,
    ),
  "agent.transition": ({ payload }) => ({ ...flow("role", `${payload.from} → ${payload.to}`), quiet: true }),
  "lead.directive": ({ payload }) => role("lead", payload.directive.intent ?? ""),
  "plan.made": ({ payload }) =>
    role(
      "planner",
      `${steps(payload.plan.steps.length)}: ${payload.plan.steps.map((step) => step.description).join("; ")}`,
    ),
  "worker.report": ({ payload }) => role("worker", line(payload.output ?? "")),
  "worker.step": ({ payload }) => ({ ...role("worker", `${payload.step_id} ${payload.status}`), quiet: true }),
  "review.result": ({ payload }) => ({
    ...role("reviewer", `verdict ${payload.verdict}${payload.verdict === "pass" ? "" : `: ${payload.feedback ?? ""}`}`),
    state: payload.verdict === "pass" ? "done" : "failed",
  }),
  "skill.invoke": ({ payload }) =>
    flow(
      "skill",
      `${payload.skill}: ${[payload.reason, ...(payload.missing_tools ?? []).map(({ reason }) => reason)].join("; ")}`,
    ),
  "schema.violation": ({ payload }) => ({
    ...flow("schema", `${payload.schema_id} refused what ${payload.where} said`),
    state: "denied",
  }),
  "workflow.started": ({ payload }) => flow("cycle", `${payload.cycle_id} begins with ${payload.entry_phase}`),
  "workflow.entered": ({ payload }) => ({ ...flow("phase", `${payload.phase}, visit ${payload.visit}`), quiet: true }),
  "workflow.fanned_out": ({ payload }) =>
    flow("phase", `${payload.phase} asks ${payload.personas.length} personas at once`),
  "workflow.gathered": ({ payload }) =>
    flow("phase", `${payload.phase} gathered ${findingsIn(payload.findings.length)}`),
  "workflow.judged": ({ payload }) => ({
    ...flow("phase", `${payload.phase}: ${payload.reason}`),
    lane: "gates",
    decision: payload.outcome,
  }),
  "workflow.signal_failed": ({ payload }) => ({
    ...flow("phase", `${payload.expression} could not be decided: ${payload.message}`),
    lane: "gates",
    state: "failed",
  }),
  "workflow.artifact_written": ({ payload }) => ({ ...flow("artifact", payload.path), lane: "writes" }),
  "workflow.approval_given": ({ payload }) => ({
    ...flow("approval", `${payload.by}: ${payload.reason}`),
    lane: "gates",
    decision: payload.decision,
  }),
  "workflow.phase_advanced": ({ payload }) => ({
    ...flow(
      "phase",
      `${payload.from_phase} → ${payload.to_phase ?? "the end"}, because ${payload.signal ?? "nothing held it"}`,
    ),
    lane: "gates",
  }),
  "workflow.policy_gated": ({ payload }) => ({
    ...flow("policy", `${payload.policy_id}: ${payload.reason}`),
    lane: "gates",
    decision: payload.decision,
    ...(payload.decision === "deny" && !payload.shadow ? { state: "denied" as const } : {}),
  }),
  "workflow.completed": ({ payload }) => ({
    ...flow("cycle", `${payload.cycle_id}: ${payload.verdict}`),
    state: "done",
  }),
  "workflow.aborted": ({ payload }) => ({
    ...flow("cycle", `${payload.cycle_id}: ${payload.reason}`),
    state: "failed",
  }),
};

/** One line of a timeline. A type that nobody taught the studio is still shown, with its payload. */
export function describe(event: Event): Described {
  const known = told.get(event);
  if (known) return known;
  const tell = tellers[event.type] as ((event: Event) => Described) | undefined;
  const described = tell ? tell(event) : { ...flow(event.type, line(event.payload)), quiet: true };
  told.set(event, described);
  return described;
}

/** Events never change, and what models said is parsed for it: each is described once, not at every row that scrolls by. */
const told = new WeakMap<Event, Described>();

function flow(subject: string, text: string): Described {
  return { lane: "flow", depth: 0, subject, text };
}
function role(subject: string, text: string): Described {
  return { lane: "model", depth: 1, subject, text };
}
function tool(subject: string, text: string): Described {
  return { lane: "tools", depth: 2, subject, text };
}
function write(subject: string, text: string): Described {
  return { lane: "writes", depth: 2, subject, text };
}

const findingsIn = (number: number): string =>
  number === 0 ? "no findings" : `${number} ${number === 1 ? "finding" : "findings"}`;
const steps = (number: number): string => `${number} ${number === 1 ? "step" : "steps"}`;

/** Roles answer in JSON: what a reader wants of it first. */
function saidIn(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const { intent, steps: plan, verdict, feedback, output, findings } = JSON.parse(text) as Record<string, unknown>;
    if (typeof intent === "string") return intent;
    if (Array.isArray(plan))
      return `${steps(plan.length)}: ${plan.map((step: { description?: string } | null) => step?.description ?? "").join("; ")}`;
    if (typeof verdict === "string") return typeof feedback === "string" ? `${verdict}: ${feedback}` : verdict;
    if (typeof output === "string") return output;
    if (Array.isArray(findings)) return findingsIn(findings.length);
  } catch {
    return text; // it only looks like JSON
  }
  return text;
}

function tokensOf(usage: Readonly<Record<string, unknown>>): number {
  return Number(usage["input_tokens"] ?? 0) + Number(usage["output_tokens"] ?? 0);
}
