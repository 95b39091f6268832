import type { Transport } from "@modelcontextprotocol/client";
import { domainError } from "#core/errors";
import { type Clock, err, isJsonObject, type JsonObject, ok, type Result, sleep } from "#core/values";
import type { ToolProgress } from "../tools/tool.ts";
import type { AnswerQuestions } from "./ask-person.ts";

/** The extension by which a server answers a call with a task. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

const taskField = "writ/task";
const shortestPollMs = 50;
const longestPollMs = 30_000;
const defaultPollMs = 1_000;

/** The SDK knows no task as a result; on its way to the SDK one is put where a plain result has its metadata. */
export function carryTasks(transport: Transport): void {
  let handler: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    get: () => handler,
    set: (given: Transport["onmessage"]) => {
      handler = given && ((message, extra) => given(plain(message), extra));
    },
  });
}

function plain(message: Parameters<NonNullable<Transport["onmessage"]>>[0]): typeof message {
  const result = "result" in message ? (message.result as JsonObject) : undefined;
  if (result?.["resultType"] !== "task") return message;
  return {
    ...message,
    result: { resultType: "complete", content: [], _meta: { [taskField]: result } },
  };
}

/** Whether a server of revision 2025-11-25 answers calls of this tool with a task, and with nothing else. */
export function isOnlyTask({ execution }: JsonObject): boolean {
  return objectOf(execution)["taskSupport"] === "required";
}

/** The task that a call was answered with, where it was; since revision 2026-07-28 it is the result itself. */
export function taskIn(result: unknown): JsonObject | undefined {
  const { task: earlier } = objectOf(result);
  if (isJsonObject(earlier)) return earlier;
  const { _meta: meta } = objectOf(result);
  const task = isJsonObject(meta) ? meta[taskField] : undefined;
  return isJsonObject(task) ? task : undefined;
}

type TaskMethod = "tasks/get" | "tasks/update" | "tasks/cancel" | "tasks/result";

export interface AwaitedTask {
  readonly server: string;
  readonly request: (method: TaskMethod, params: JsonObject) => Promise<unknown>;
  /** In revision 2025-11-25 the result is asked for by itself, and while that waits the server asks its questions. */
  readonly hasResultMethod: boolean;
  readonly onQuestions: AnswerQuestions;
  readonly onProgress: ((progress: ToolProgress) => void) | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Asks after a task until it has ended, answers what it asks, and cancels it where the call is given up. */
export async function awaitTask(begun: JsonObject, awaited: AwaitedTask): Promise<Result<unknown>> {
  const { server, request, hasResultMethod, onQuestions, onProgress, clock, signal } = awaited;
  const { taskId } = begun;
  if (typeof taskId !== "string")
    return err(domainError("TOOL_ERROR", `the MCP server "${server}" began a task without an id`));
  const answered = new Set<string>();
  let task = begun;
  for (let looks = 1; ; looks += 1) {
    const isReady = task["status"] === "completed" || task["status"] === "input_required";
    if (hasResultMethod && isReady) return ok(await request("tasks/result", { taskId }));
    switch (task["status"]) {
      case "completed":
        return ok(task["result"]);
      case "failed":
        return failed(server, `its task broke: ${messageIn(task["error"]) ?? messageIn(task) ?? "it says no more"}`);
      case "cancelled":
        return failed(server, "cancelled its task");
      case "input_required": {
        const asked = isJsonObject(task["inputRequests"]) ? task["inputRequests"] : {};
        const fresh = Object.fromEntries(Object.entries(asked).filter(([name]) => !answered.has(name)));
        const answers = Object.keys(fresh).length > 0 ? await onQuestions(fresh) : ok({});
        if (!answers.ok) {
          await request("tasks/cancel", { taskId });
          return answers;
        }
        for (const name of Object.keys(answers.value)) answered.add(name);
        if (Object.keys(answers.value).length > 0)
          await request("tasks/update", { taskId, inputResponses: answers.value });
        break;
      }
      case "working":
        break;
      default:
        return failed(server, `has a task in a state that there is not: ${JSON.stringify(task["status"] ?? null)}`);
    }
    const message = typeof task["statusMessage"] === "string" ? task["statusMessage"].slice(0, 200) : undefined;
    onProgress?.({ progress: looks, ...(message === undefined ? {} : { message }) });
    await sleep(clock, pollMs(task), signal);
    if (signal.aborted) {
      await request("tasks/cancel", { taskId });
      return err(domainError("CANCELED", `the task of the MCP server "${server}" was cancelled`));
    }
    const next = await request("tasks/get", { taskId });
    task = objectOf(next);
  }
}

function pollMs({ pollIntervalMs, pollInterval }: JsonObject): number {
  const said = pollIntervalMs ?? pollInterval;
  const wanted = typeof said === "number" && said > 0 ? said : defaultPollMs;
  return Math.min(longestPollMs, Math.max(shortestPollMs, wanted));
}

function messageIn(value: unknown): string | undefined {
  const { message, statusMessage } = objectOf(value);
  const text = message ?? statusMessage;
  return typeof text === "string" ? text.slice(0, 1000).toWellFormed() : undefined;
}

function failed(server: string, what: string): Result<never> {
  return err(domainError("TOOL_ERROR", `the MCP server "${server}" ${what}`));
}

/** What came from the server is JSON: the SDK read it as such. */
function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? (value as JsonObject) : {};
}
