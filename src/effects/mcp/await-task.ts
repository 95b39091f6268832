import type { Transport } from "@modelcontextprotocol/client";
import { domainError, messageOf } from "#core/errors";
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
  readonly request: (method: TaskMethod, params: JsonObject, signal: AbortSignal) => Promise<unknown>;
  /** Whether a request that failed so may succeed when it is repeated: the server is away for a moment. */
  readonly mayPass: (thrown: unknown) => boolean;
  /** In revision 2025-11-25 the result is asked for by itself, and while that waits the server asks its questions. */
  readonly hasResultMethod: boolean;
  /** Records the id, before the task is waited for. */
  readonly onTask: (task_id: string) => Promise<Result<unknown>>;
  readonly onQuestions: AnswerQuestions;
  readonly onProgress: ((progress: ToolProgress) => void) | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const longestId = 1024;
const cancelMs = 5_000;
const mostFailures = 8;

/** Asks after a task that a call was answered with until it has ended, answers what it asks, and cancels it where the call is given up. */
export async function awaitTask(begun: JsonObject, awaited: AwaitedTask): Promise<Result<unknown>> {
  const { taskId } = begun;
  if (typeof taskId !== "string" || taskId === "" || taskId.length > longestId || !taskId.isWellFormed())
    return failed(awaited.server, `began a task without an id of 1 to ${longestId} characters`);
  const recorded = await awaited.onTask(taskId);
  if (recorded.ok) return followTask(taskId, begun, awaited);
  await giveUp(taskId, awaited);
  return recorded;
}

/** Asks after a task that an earlier attempt of the call was answered with. */
export async function takeUpTask(taskId: string, awaited: AwaitedTask): Promise<Result<unknown>> {
  const { server } = awaited;
  try {
    return await followTask(taskId, await look(taskId, awaited), awaited);
  } catch (thrown) {
    if (awaited.signal.aborted) throw thrown;
    return err(
      domainError(
        "EFFECT_IN_DOUBT",
        `the call has become a task of the MCP server "${server}", which does not tell of it any more: ${messageOf(thrown).slice(0, 500).toWellFormed()}`,
        { cause: thrown },
      ),
    );
  }
}

async function followTask(taskId: string, begun: JsonObject, awaited: AwaitedTask): Promise<Result<unknown>> {
  const { server, request, hasResultMethod, onProgress, clock, signal } = awaited;
  const answered = new Set<string>();
  let task = begun;
  try {
    for (let looks = 1; ; looks += 1) {
      const isReady = task["status"] === "completed" || task["status"] === "input_required";
      if (hasResultMethod && isReady) return ok(await request("tasks/result", { taskId }, signal));
      switch (task["status"]) {
        case "completed":
          return ok(task["result"]);
        case "failed":
          return failed(server, `its task broke: ${messageIn(task["error"]) ?? messageIn(task) ?? "it says no more"}`);
        case "cancelled":
          return failed(server, "cancelled its task");
        case "input_required": {
          const sent = await answerTask(taskId, task, answered, awaited);
          if (!sent.ok) return sent;
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
      if (signal.aborted) break;
      task = await look(taskId, awaited);
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    await giveUp(taskId, awaited);
    throw thrown;
  }
  await giveUp(taskId, awaited);
  return err(domainError("CANCELED", `the task of the MCP server "${server}" was cancelled`));
}

/** The task as it is now. What tells of another task is no answer. */
async function look(taskId: string, awaited: AwaitedTask): Promise<JsonObject> {
  const task = objectOf(await lookAgain(taskId, awaited));
  if (task["taskId"] === undefined || task["taskId"] === taskId) return task;
  throw new Error("it tells of another task than it was asked after");
}

async function lookAgain(taskId: string, { request, mayPass, clock, signal }: AwaitedTask): Promise<unknown> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await request("tasks/get", { taskId }, signal);
    } catch (thrown) {
      if (signal.aborted || failures >= mostFailures || !mayPass(thrown)) throw thrown;
      await sleep(clock, Math.min(longestPollMs, defaultPollMs * 2 ** failures), signal);
    }
  }
}

/** Answers what a task asks and has no answer to yet. While a person has not decided, the task waits at its server. */
async function answerTask(
  taskId: string,
  task: JsonObject,
  answered: Set<string>,
  awaited: AwaitedTask,
): Promise<Result<void>> {
  const asked = objectOf(task["inputRequests"]);
  const fresh = Object.fromEntries(Object.entries(asked).filter(([name]) => !answered.has(name)));
  if (Object.keys(fresh).length === 0) return ok(undefined);
  const answers = await awaited.onQuestions(fresh);
  if (!answers.ok) {
    const { code, details } = answers.error;
    if (code === "APPROVAL_PENDING") return err({ ...answers.error, details: { ...details, task_goes_on: true } });
    await giveUp(taskId, awaited);
    return answers;
  }
  for (const name of Object.keys(answers.value)) answered.add(name);
  await awaited.request("tasks/update", { taskId, inputResponses: answers.value }, awaited.signal);
  return ok(undefined);
}

/** Asks for the end of a task. Whether the server heeds it changes nothing: its result is not waited for. */
async function giveUp(taskId: string, { request, clock }: AwaitedTask): Promise<void> {
  const late = new AbortController();
  const cancel = clock.after(cancelMs, () => late.abort());
  await request("tasks/cancel", { taskId }, late.signal).catch(() => undefined); // it is gone, or has no such method
  cancel();
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
