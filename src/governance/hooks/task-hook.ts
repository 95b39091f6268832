import { isJsonObject, type JsonObject, type JsonValue, parseJson, type Sha256 } from "#core/values";
import type { SettingsHook } from "../claude/settings/settings-hooks.ts";
import type { HookTask } from "../claude/settings/settings-orders.ts";
import { Fault, InSessions, noObjection } from "./answer.ts";
import { askCalls } from "./ask-calls.ts";
import { type AskedAbout, commandAnswer } from "./command-answer.ts";
import { concernOf } from "./concern-of.ts";
import type { HookHandler } from "./hook-handler.ts";
import type { HookOrder, HookOrders } from "./hook-orders.ts";
import type { HookPoint } from "./hook-point.ts";
import { type HasStarted, isWithin } from "./is-within.ts";
import { compileNames } from "./matcher.ts";
import { verdictAnswer } from "./verdict-answer.ts";

export interface TaskHook {
  readonly id: string;
  readonly point: HookPoint;
  readonly priority: number;
  readonly matcher?: string | undefined;
  readonly timeoutMs: number;
  readonly task: HookTask;
  readonly if?: string | undefined;
  readonly settings: Pick<SettingsHook, "event" | "from" | "unable" | "within" | "command">;
  readonly hash: Sha256;
}

export interface TaskDependencies {
  /** Absent where hooks are only listed. */
  readonly orders: HookOrders | undefined;
  readonly root: string;
  readonly permissionMode: string;
  readonly hasStarted: HasStarted | undefined;
}

const maxAnswerBytes = 1024 * 1024;

/**
 * A hook that an order answers: a tool of an MCP server, a model, or an agent that looks. What a tool says is read like the stdout of a
 * program, what a model says is `{ok, reason}`. An order that fails is a fault.
 */
export function taskHook(hook: TaskHook, deps: TaskDependencies): HookHandler {
  const { id, point, priority, matcher, timeoutMs, task, settings, hash } = hook;
  const names = compileNames(matcher);
  const concerns = concernOf(hook, names.ok ? names.value : undefined, deps.root);
  return {
    id,
    point,
    priority,
    ...(matcher === undefined ? {} : { matcher }),
    timeoutMs,
    kind: task.type,
    source: task.type === "mcp_tool" ? settings.command : `${task.type}: ${task.prompt}`,
    from: settings.from,
    event: settings.event,
    hash,
    async run(input, signal, about) {
      const { orders, root, permissionMode } = deps;
      if (!names.ok) return new Fault("bad_matcher", `cannot be asked: ${names.error.message}`);
      if (!concerns(input) || !(await isWithin(settings, input, about, deps.hasStarted))) return noObjection;
      if (settings.unable !== undefined) return new Fault("not_supported", `cannot be asked: ${settings.unable}`);
      if (!orders) return new Fault("not_started", "was only listed");
      // What a hook ordered is not asked about by one that would order again, and so on without an end.
      if (orders.isOrdered(about.session_id)) return noObjection;
      const sessions: string[] = [];
      const put = async (shown: string) => {
        const order = { do: filledIn(task, shown), session_id: about.session_id, point, hook: id, timeoutMs };
        const { session_id, said } = await orders.run(order, signal);
        if (session_id !== undefined) sessions.push(session_id);
        if (!said.ok) return new Fault("order_failed", `got no answer: ${said.error.message}`);
        return { read: (asked: AskedAbout) => answerIn(task, said.value, asked, timeoutMs) };
      };
      const answer = await askCalls(
        { input, about, signal, names: names.value },
        { root, event: settings.event, permissionMode, put },
      );
      return sessions.length === 0 ? answer : new InSessions(answer, sessions);
    },
  };
}

function answerIn(task: HookTask, said: string, asked: AskedAbout, timeoutMs: number): unknown {
  if (task.type !== "mcp_tool") return verdictAnswer(task.type, said, asked);
  const outcome = { end: { kind: "exited" as const, code: 0 }, stdout: said, stderr: "", durationMs: 0 };
  return commandAnswer(asked, outcome, { timeoutMs, maxOutputBytes: maxAnswerBytes });
}

/** The task with what the hook is shown in the places that it names. */
function filledIn(task: HookTask, shown: string): HookOrder["do"] {
  if (task.type !== "mcp_tool") {
    const { type, prompt, model } = task;
    const input = shown.trim();
    const named = /(?<!\\)\$ARGUMENTS/g;
    const text = named.test(prompt) ? prompt.replaceAll(named, () => input) : `${prompt}\n\n${input}`;
    return { type, prompt: text.replaceAll(/\\\$/g, "$"), model };
  }
  const parsed = parseJson(shown);
  const about = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  return { type: "mcp_tool", server: task.server, tool: task.tool, args: fill(task.input, about) as JsonObject };
}

/** `${tool_input.file_path}` stands for that value; what is not there is nothing. */
function fill(value: JsonValue, about: JsonObject): JsonValue {
  if (typeof value === "string") return value.replaceAll(/\$\{([^{}]+)\}/g, (_, path: string) => textAt(path, about));
  if (Array.isArray(value)) return value.map((each) => fill(each, about));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each, about)]));
}

function textAt(path: string, about: JsonObject): string {
  const found = path
    .trim()
    .split(".")
    .reduce<JsonValue | undefined>((at, key) => {
      if (Array.isArray(at)) return at[Number(key)];
      return isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    }, about);
  if (found === undefined || found === null) return "";
  return typeof found === "string" ? found : JSON.stringify(found);
}
