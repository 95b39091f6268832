import type { Client, Transport } from "@modelcontextprotocol/client";
import { type DomainError, domainError, err, isJsonObject, type JsonObject, messageOf, ok, type Result } from "#base";
import type { ToolProgress } from "../tool.ts";
import { StdioTransport } from "./adapters/stdio-transport.ts";
import type { McpServerSpec } from "./server-spec.ts";

/** One connection to one server. What comes back is a stranger's data. */
export interface McpConnection {
  /** `legacy` before revision 2026-07-28, `modern` since. */
  readonly era: string;
  readonly protocolVersion: string;
  /** Every page of its tools, as they came. */
  listTools(timeoutMs: number): Promise<Result<readonly unknown[]>>;
  callTool(call: McpCall): Promise<Result<unknown>>;
  close(): Promise<void>;
}

export interface McpCall {
  readonly definition: JsonObject;
  readonly args: JsonObject;
  readonly meta: JsonObject;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

const maxPages = 50;

/** Takes what came as it came: the whole wire object is what is pinned, so nobody may tidy it first. */
const asItCame = {
  "~standard": { version: 1 as const, vendor: "writ", validate: (value: unknown) => ({ value }) },
};

/** What we say to a server once it has greeted us. */
export function speak(client: Client, transport: Transport, spec: McpServerSpec): McpConnection {
  const modernHttp = client.getProtocolEra() === "modern" && spec.transport.kind === "http";
  return {
    era: client.getProtocolEra() ?? "legacy",
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "unknown",
    async listTools(timeoutMs) {
      if (!client.getServerCapabilities()?.tools) return ok([]);
      const tools: unknown[] = [];
      let cursor: string | undefined;
      try {
        for (let page = 0; page < maxPages; page += 1) {
          const result = await client.request(
            { method: "tools/list", params: cursor === undefined ? {} : { cursor } },
            asItCame,
            { timeout: timeoutMs },
          );
          if (!isJsonObject(result) || !Array.isArray(result["tools"]))
            return err(domainError("TOOL_ERROR", `the MCP server "${spec.name}" gave no list of tools`));
          tools.push(...(result["tools"] as unknown[]));
          const next = result["nextCursor"];
          if (typeof next !== "string" || next === "") return ok(tools);
          cursor = next;
        }
        return err(domainError("TOOL_ERROR", `the list of tools of "${spec.name}" has no end`));
      } catch (thrown) {
        return err(failure(spec, thrown, transport));
      }
    },
    async callTool({ definition, args, meta, timeoutMs, signal, onProgress }) {
      const name = definition["name"] as string;
      const params = { name, arguments: { ...args }, _meta: { ...meta } };
      const options = { timeout: timeoutMs, signal, ...(onProgress ? { onprogress: onProgress } : {}) };
      try {
        // Only there do arguments travel in headers as well, which the SDK knows how to make.
        if (modernHttp && JSON.stringify(definition["inputSchema"]).includes('"x-mcp-header"')) {
          const { outputSchema: _, ...toolDefinition } = definition;
          return ok(await client.callTool(params, { ...options, toolDefinition: toolDefinition as never }));
        }
        return ok(await client.request({ method: "tools/call", params }, asItCame, options));
      } catch (thrown) {
        return err(failure(spec, thrown, transport));
      }
    },
    async close() {
      await client.close();
    },
  };
}

/** What went wrong, in our words; those of the server are quoted. */
function failure(spec: McpServerSpec, thrown: unknown, transport: Transport): DomainError {
  const ended = transport instanceof StdioTransport ? transport.ended : undefined;
  if (ended !== undefined)
    return domainError("TOOL_ERROR", `the MCP server "${spec.name}" ended before it answered: ${ended}`, {
      cause: thrown,
    });
  const message = messageOf(thrown).slice(0, 1000).toWellFormed();
  if (/timed? ?out/i.test(message))
    return domainError("TOOL_TIMEOUT", `the MCP server "${spec.name}" did not answer in time`, { cause: thrown });
  return domainError("TOOL_ERROR", `the MCP server "${spec.name}" answered with an error: ${message}`, {
    cause: thrown,
  });
}
