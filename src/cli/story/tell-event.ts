import type { Event } from "#events";
import type { Screen } from "../output/screen.ts";
import { nameInLine, oneLine, row } from "./row.ts";
import { tellCycle } from "./tell-cycle.ts";

/** What the story remembers between two events. */
export interface StorySoFar {
  /** Tokens and time of each role since its last line. */
  readonly spent: Map<string, { tokens: number; ms: number }>;
  /** The latest gate decision, to stand beside the call that it allowed. */
  gate: Event<"hook.fired">["payload"] | undefined;
  speaker: string;
  /** Whether lead, planner, worker and reviewer take part. */
  hasRoles: boolean;
}

export function newStory(): StorySoFar {
  return { spent: new Map(), gate: undefined, speaker: "worker", hasRoles: false };
}

/** The lines that an event adds to the story of a request, in the order in which it happened. Most events add none. */
export function tellEvent(event: Event, so: StorySoFar, screen: Screen): readonly string[] {
  switch (event.type) {
    case "llm.request": {
      so.speaker = (event.payload as Event<"llm.request">["payload"]).role;
      return [];
    }
    case "llm.response":
      return hear(event.payload as Event<"llm.response">["payload"], so, screen);
    case "agent.transition":
      so.hasRoles = true;
      return [];
    case "worker.step": {
      const { step_id, status } = event.payload as Event<"worker.step">["payload"];
      const right = bill(so, "worker");
      return right === ""
        ? []
        : [
            row(screen, {
              who: "worker",
              what: `${nameInLine(step_id)} ${status === "completed" ? "done" : screen.red("not done")}`,
              right,
            }),
          ];
    }
    case "lead.directive": {
      const { directive } = event.payload as Event<"lead.directive">["payload"];
      return [row(screen, { who: "lead", what: oneLine(directive.intent), right: bill(so, "lead") })];
    }
    case "advisor.note": {
      const { note } = event.payload as Event<"advisor.note">["payload"];
      return [
        row(screen, {
          who: "advisor",
          what: oneLine(`${note.recommendation}: ${note.advice}`),
          right: bill(so, "advisor"),
        }),
      ];
    }
    case "plan.made": {
      const { plan } = event.payload as Event<"plan.made">["payload"];
      const steps = plan.steps.map((step) => `${step.id} ${step.description}`).join("; ");
      return [
        row(screen, {
          who: "planner",
          what: oneLine(`${plan.steps.length} step${plan.steps.length === 1 ? "" : "s"}: ${steps}`),
          right: bill(so, "planner"),
        }),
      ];
    }
    case "workflow.entered":
    case "workflow.gathered":
    case "workflow.policy_gated":
    case "workflow.finding_routed":
    case "workflow.judged":
    case "workflow.artifact_written":
      return tellCycle(event, screen);
    case "hook.fired":
      return gated(event.payload as Event<"hook.fired">["payload"], so, screen);
    case "tool.invoke": {
      const { name, args } = event.payload as Event<"tool.invoke">["payload"];
      const by = so.gate ? screen.dim(`allowed by ${so.gate.handler}`) : "";
      so.gate = undefined;
      return [
        row(screen, { who: so.speaker, what: `${nameInLine(name)} ${oneLine(JSON.stringify(args))}`, right: by }),
      ];
    }
    case "tool.output": {
      const { content, is_error } = event.payload as Event<"tool.output">["payload"];
      const text = oneLine(resultText(content));
      return [
        row(screen, {
          who: "",
          what: `${screen.sign.arrow} ${is_error ? screen.red(text) : text}`,
          right: bill(so, so.speaker),
        }),
      ];
    }
    case "tool.refused": {
      const { name, code, reason } = event.payload as Event<"tool.refused">["payload"];
      so.gate = undefined;
      return [
        row(screen, { who: so.speaker, what: nameInLine(name), right: screen.yellow(`refused: ${code}`) }),
        row(screen, { who: "", what: screen.dim(oneLine(reason)), right: "" }),
      ];
    }
    case "schema.violation": {
      const { schema_id, message } = event.payload as Event<"schema.violation">["payload"];
      return [
        row(screen, { who: so.speaker, what: screen.yellow(`not valid ${schema_id}`), right: "" }),
        row(screen, { who: "", what: screen.dim(oneLine(message ?? "")), right: "" }),
      ];
    }
    case "review.result": {
      const { verdict, feedback } = event.payload as Event<"review.result">["payload"];
      const word = verdict === "pass" ? screen.green(verdict) : screen.red(verdict);
      return [row(screen, { who: "reviewer", what: `${word}: ${oneLine(feedback)}`, right: bill(so, "reviewer") })];
    }
    case "review.escalated": {
      const { reason } = event.payload as Event<"review.escalated">["payload"];
      return [row(screen, { who: "", what: screen.yellow(`a person must decide: ${oneLine(reason)}`), right: "" })];
    }
    case "context.compacted": {
      const { removed, tokens_before, tokens_after } = event.payload as Event<"context.compacted">["payload"];
      return [
        row(screen, {
          who: "",
          what: screen.dim(`${removed} messages shortened: ${tokens_before} to ${tokens_after} tokens`),
          right: "",
        }),
      ];
    }
    default:
      return [];
  }
}

function hear(payload: Event<"llm.response">["payload"], so: StorySoFar, screen: Screen): readonly string[] {
  const spent = so.spent.get(payload.role) ?? { tokens: 0, ms: 0 };
  spent.tokens += payload.usage.input_tokens + payload.usage.output_tokens;
  spent.ms += payload.duration_ms;
  so.spent.set(payload.role, spent);
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
  const verb =
    payload.decision === "transform"
      ? screen.yellow(`rewritten by ${payload.handler}`)
      : payload.decision === "ask"
        ? screen.yellow(`${payload.handler} asks a person`)
        : screen.red(`denied by ${payload.handler}`);
  return [
    row(screen, {
      who: payload.point === "PreToolUse" ? so.speaker : "you",
      what: nameInLine(payload.subject ?? payload.point),
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

function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (typeof content === "object" && content !== null) {
    for (const key of ["text", "content", "output"]) {
      const value = (content as Record<string, unknown>)[key];
      if (typeof value === "string") return value;
    }
  }
  return JSON.stringify(content) ?? "";
}
