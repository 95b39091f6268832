import {
  fromJsonSchema,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject, Result } from "#core/values";
import type { McpRequest } from "./offer/mcp-request.ts";
import { protocolError } from "./protocol-error.ts";
import { tasksExtension } from "./request-of.ts";
import type { Serving } from "./serving.ts";
import { detailed } from "./task-result.ts";

interface TaskParams extends JsonObject {
  readonly taskId: string;
}

const taskId = { type: "string", minLength: 1, maxLength: 256 };
const named = fromJsonSchema<TaskParams>({ type: "object", required: ["taskId"], properties: { taskId } });
const anything = fromJsonSchema<JsonObject>({ type: "object" });

/** `tasks/get`, `tasks/update` and `tasks/cancel`, for clients that declared the extension. */
export function serveTasks({ server }: McpServer, serving: Serving): void {
  const { tasks } = serving.offer;
  const asked = (context: ServerContext): McpRequest => {
    const request = serving.requestOf(context);
    if (request.client.takesTasks) return request;
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
    or(await tasks.cancel(params.taskId, asked(context)), "tasks/cancel");
    return {};
  });
}

/** Over HTTP the id also stands in a header, for what routes by it; both have to be the same. */
function requireName(id: string, { http }: ServerContext): void {
  const header = http?.req?.headers.get("mcp-name");
  if (http?.req !== undefined && header !== id)
    throw new ProtocolError(
      -32_020,
      `the header Mcp-Name says ${JSON.stringify(header ?? null)}, and the request is about ${JSON.stringify(id)}`,
    );
}
