import {
  fromJsonSchema,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type JsonObject, type Result, sleep } from "#core/values";
import type { McpTask } from "./offer/mcp-answer.ts";
import type { McpRequest } from "./offer/mcp-request.ts";
import { protocolError } from "./protocol-error.ts";
import { isOfEarlierRevision, tasksExtension } from "./request-of.ts";
import type { Serving } from "./serving.ts";
import { detailed, earlierTask } from "./task-result.ts";
import { toolResult } from "./tool-result.ts";

interface TaskParams extends JsonObject {
  readonly taskId: string;
}

const taskId = { type: "string", minLength: 1, maxLength: 256 };
const named = fromJsonSchema<TaskParams>({ type: "object", required: ["taskId"], properties: { taskId } });
const anything = fromJsonSchema<JsonObject>({ type: "object" });

/** `tasks/get`, `tasks/update` and `tasks/cancel`, for clients that declared the extension; and `tasks/result` of revision 2025-11-25. */
export function serveTasks({ server }: McpServer, serving: Serving): void {
  const { tasks } = serving.offer;
  const asked = (context: ServerContext): McpRequest => {
    const request = serving.requestOf(context);
    if (request.client.takesTasks || isOfEarlierRevision(context)) return request;
    throw new MissingRequiredClientCapabilityError(
      { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
      "tasks are for clients that declare them",
    );
  };
  const or = <T>(result: Result<T>, where: string): T => {
    if (result.ok) return result.value;
    if (result.error.code === "NOT_FOUND")
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, result.error.message);
    throw protocolError(result.error, { where, sanitizeError: serving.sanitizeError });
  };
  server.setRequestHandler("tasks/get", { params: named, result: anything }, async (params, context) => {
    requireName(params.taskId, context);
    const task = or(await tasks.get(params.taskId, asked(context)), "tasks/get");
    if (isOfEarlierRevision(context)) return earlierTask(task);
    return detailed(task, (error) => serving.sanitizeError(error, "tasks/get"));
  });
  server.setRequestHandler("tasks/update", { params: named, result: anything }, async (params, context) => {
    requireName(params.taskId, context);
    const request = asked(context);
    // The SDK takes the answers out of the parameters, and drops what is none.
    const { inputResponses, droppedInputResponseKeys } = context.mcpReq;
    if (inputResponses === undefined && droppedInputResponseKeys === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "tasks/update holds no inputResponses");
    or(await tasks.update(params.taskId, request.answers, request), "tasks/update");
    return {};
  });
  server.setRequestHandler("tasks/cancel", { params: named, result: anything }, async (params, context) => {
    requireName(params.taskId, context);
    const request = asked(context);
    if (!isOfEarlierRevision(context)) {
      or(await tasks.cancel(params.taskId, request), "tasks/cancel");
      return {};
    }
    const task = or(await tasks.get(params.taskId, request), "tasks/cancel");
    if (hasEnded(task))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `the task ${params.taskId} has ended: ${task.status}`);
    or(await tasks.cancel(params.taskId, request), "tasks/cancel");
    return { ...earlierTask(task), status: "cancelled" };
  });
  server.setRequestHandler("tasks/result", { params: named, result: anything }, async (params, context) => {
    if (!isOfEarlierRevision(context))
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "the result of a task is part of tasks/get");
    const request = asked(context);
    for (;;) {
      const task = or(await tasks.get(params.taskId, request), "tasks/result");
      const related = { [RELATED_TASK_META_KEY]: { taskId: params.taskId } };
      if (task.status === "completed")
        return {
          ...toolResult(task.result, (error) => serving.sanitizeError(error, "tasks/result")),
          _meta: related,
        } as never;
      if (task.status === "failed") throw new ProtocolError(task.error.code, task.error.message);
      if (task.status === "cancelled")
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `the task ${params.taskId} was cancelled`);
      await sleep(serving.clock, task.pollIntervalMs, request.signal);
      if (request.signal.aborted)
        throw new ProtocolError(ProtocolErrorCode.InternalError, "the client disconnected or the server closes");
    }
  });
}

function hasEnded({ status }: McpTask): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Over HTTP the id also stands in a header, for what routes by it; both have to be the same. */
function requireName(id: string, context: ServerContext): void {
  if (isOfEarlierRevision(context)) return;
  const { http } = context;
  const header = http?.req?.headers.get("mcp-name");
  if (http?.req !== undefined && header !== id)
    throw new ProtocolError(
      -32_020,
      `the header Mcp-Name says ${JSON.stringify(header ?? null)}, and the request is about ${JSON.stringify(id)}`,
    );
}
