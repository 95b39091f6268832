import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { type DomainError, domainError, messageOf } from "#core/errors";
import type { SanitizeError } from "#core/routes";
import { type Caller, err, type JsonObject, type Result } from "#core/values";
import { covers } from "#people";
import type { McpTool } from "./mcp-tool.ts";
import { type McpToolParts, mcpTools } from "./mcp-tools.ts";

export interface McpServerParts extends McpToolParts {
  readonly version: string;
  readonly sanitizeError: SanitizeError;
}

/** Writ as an MCP server for one caller; `closing` aborts its calls. One factory serves both eras of the protocol. */
export function mcpServerFor(parts: McpServerParts, caller: Caller, closing: AbortSignal): McpServer {
  const server = new McpServer(
    { name: "writ", version: parts.version },
    {
      capabilities: { tools: { listChanged: false } }, // the list never changes
      instructions:
        "Writ is a governed runtime for AI agents. Submit a request or a work order, watch its session, and decide what waits for a person. Every act is recorded under the caller's rights.",
    },
  );
  for (const tool of mcpTools(parts)) {
    const { name, title, description, input, isReadOnly } = tool;
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: fromJsonSchema<JsonObject>(input as never),
        annotations: { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false },
      },
      async (args: JsonObject, context) =>
        answer(await attempt(tool, args, caller, AbortSignal.any([context.mcpReq.signal, closing])), (error) =>
          parts.sanitizeError(error, name),
        ),
    );
  }
  return server;
}

async function attempt(tool: McpTool, args: JsonObject, caller: Caller, signal: AbortSignal): Promise<Result<object>> {
  if (!covers(caller.grants, tool.right))
    return err(domainError("NOT_AUTHORIZED", `${caller.id} may not do this: no role of theirs grants "${tool.right}"`));
  try {
    return await tool.call(args, caller, signal);
  } catch (thrown) {
    return err(domainError("INTERNAL", messageOf(thrown), { cause: thrown }));
  }
}

function answer(result: Result<object>, sanitizeError: (error: DomainError) => DomainError) {
  const body = result.ok ? result.value : { error: errorBody(sanitizeError(result.error)) };
  const plain = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
  return {
    structuredContent: plain,
    content: [{ type: "text" as const, text: JSON.stringify(plain) }],
    ...(result.ok ? {} : { isError: true }),
  };
}

function errorBody({ code, message, retryable }: DomainError): object {
  return { code, message, retryable };
}
