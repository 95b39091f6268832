import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequiredResult,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { domainError, messageOf } from "#core/errors";
import { err, type JsonObject, type Result } from "#core/values";
import { covers } from "#people";
import { type Answering, asked } from "./input-required.ts";
import type { McpAnswer, McpContent, McpValue } from "./offer/mcp-answer.ts";
import type { McpRequest } from "./offer/mcp-request.ts";
import type { McpTool } from "./offer/mcp-tool.ts";
import { isOfEarlierRevision, tasksExtension } from "./request-of.ts";
import type { Serving } from "./serving.ts";
import { createdTask, earlierTask } from "./task-result.ts";
import { toolResult } from "./tool-result.ts";

type Sent = CallToolResult | InputRequiredResult;

/** `tools/list` and `tools/call`. */
export function serveTools(server: McpServer, serving: Serving): void {
  const tools = new Map(serving.offer.tools.map((tool) => [tool.name, tool]));
  // The SDK lists them, and checks the headers that repeat arguments; the call itself is handled below.
  for (const { name, title, description, input, output, isReadOnly, asTask } of tools.values()) {
    const registered = server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: fromJsonSchema<JsonObject>(input as never),
        ...(output ? { outputSchema: fromJsonSchema<JsonObject>(output as never) } : {}),
        annotations: { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false },
      },
      () => ({ content: [] }),
    );
    // Of revision 2025-11-25: the SDK leaves it out where a later one is spoken.
    if (asTask !== "never") registered.execution = { taskSupport: asTask === "only" ? "required" : "optional" };
  }
  server.server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = tools.get(params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool "${params.name}"`);
    const wantsTask = isOfEarlierRevision(context) && params.task !== undefined;
    if (wantsTask && tool.asTask === "never")
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `"${tool.name}" is never a task`);
    const request = { ...serving.requestOf(context, tool.name), wantsTask };
    if (tool.asTask === "only" && !wantsTask && !request.client.takesTasks) throw takesNoTasks(tool.name);
    const checked = await fromJsonSchema<JsonObject>(tool.input)["~standard"].validate(params.arguments ?? {});
    const answered = checked.issues
      ? err(domainError("MALFORMED_INPUT", `${tool.name}: ${checked.issues.map(({ message }) => message).join("; ")}`))
      : await attempt(tool, checked.value, request);
    return answerOf(answered, { serving, context, name: tool.name });
  });
}

function takesNoTasks(name: string): Error {
  return new MissingRequiredClientCapabilityError(
    { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
    `"${name}" is always a task, and this client takes none`,
  );
}

async function attempt(tool: McpTool, args: JsonObject, request: McpRequest): Promise<Result<McpAnswer>> {
  const { caller } = request;
  if (!covers(caller.grants, tool.right))
    return err(domainError("NOT_AUTHORIZED", `${caller.id} may not do this: no role of theirs grants "${tool.right}"`));
  try {
    return await tool.call(args, request);
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    return err(domainError("INTERNAL", messageOf(thrown), { cause: thrown }));
  }
}

async function answerOf(answered: Result<McpAnswer>, { serving, context, name }: Answering): Promise<Sent> {
  if (!answered.ok || answered.value.kind === "value" || answered.value.kind === "content")
    return toolResult(answered as Result<McpValue | McpContent>, (error) => serving.sanitizeError(error, name));
  if (answered.value.kind === "task") {
    const { task } = answered.value;
    // The SDK sends no result of a call without content.
    return (isOfEarlierRevision(context)
      ? { content: [], task: earlierTask(task) }
      : createdTask(task)) as unknown as CallToolResult;
  }
  return asked(answered.value, { serving, context, name });
}
