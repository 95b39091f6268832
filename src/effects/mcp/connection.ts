import type { Client, Transport } from "@modelcontextprotocol/client";
import { type DomainError, domainError, messageOf } from "#core/errors";
import type { ProgramTier } from "#core/machine";
import { err, isJsonObject, type JsonObject, ok, type Result } from "#core/values";
import type { McpServerSpec } from "#workspace";
import type { UnkeptWrites } from "../programs/unkept-writes.ts";
import type { ToolProgress } from "../tools/tool.ts";
import { StdioTransport } from "./adapters/stdio-transport.ts";

/** One connection to one server. Everything that it returns is untrusted. */
export interface McpConnection {
  /** `legacy` before revision 2026-07-28, `modern` since. */
  readonly era: string;
  readonly protocolVersion: string;
  /** Of a program: the isolation that it runs in. */
  readonly tier: ProgramTier | undefined;
  /** True after a request failed because the server is gone or no longer knows this session. */
  readonly isLost: boolean;
  /** All pages of its tools, unchanged. */
  listTools(timeoutMs: number): Promise<Result<readonly unknown[]>>;
  callTool(call: McpCall): Promise<Result<unknown>>;
  /** Of a program: what it changed in the workspace without a right to. */
  unkept(): UnkeptWrites;
  /** Uses it for no further call: the next one starts the server anew. */
  abandon(): void;
  /** Closes the connection as soon as no call is under way, so that calls that have begun can still be answered. */
  retire(): Promise<void>;
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

export interface SpeakOptions {
  readonly sdk: typeof import("@modelcontextprotocol/client");
  readonly client: Client;
  readonly transport: Transport;
  readonly spec: McpServerSpec;
  /** The workspace. */
  readonly root: string;
  /** Called when the server at an address is gone, or restarted and no longer knows this session. */
  readonly onLost: (connection: McpConnection) => void;
}

const maxPages = 50;

/** Accepts a result unchanged: the pin covers the whole object as received, so the SDK must not strip fields from it. */
const asItCame = {
  "~standard": { version: 1 as const, vendor: "writ", validate: (value: unknown) => ({ value }) },
};

/** The connection after the handshake. */
export function speak(options: SpeakOptions): McpConnection {
  const { client, spec } = options;
  const modernHttp = client.getProtocolEra() === "modern" && spec.transport.kind === "http";
  let underWay = 0;
  let isRetired = false;
  let isLost = false;
  const failed = (thrown: unknown): Result<never> => {
    const failure = failureOf(thrown, options);
    if (failure.isLost) {
      isLost = true;
      options.onLost(connection);
    }
    return err(failure.error);
  };
  const connection: McpConnection = {
    era: client.getProtocolEra() ?? "legacy",
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "unknown",
    tier: options.transport instanceof StdioTransport ? options.transport.tier : undefined,
    get isLost() {
      return isLost;
    },
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
        return failed(thrown);
      }
    },
    async callTool({ definition, args, meta, timeoutMs, signal, onProgress }) {
      const name = definition["name"] as string;
      const params = { name, arguments: { ...args }, _meta: { ...meta } };
      const limits = { timeout: timeoutMs, signal, ...(onProgress ? { onprogress: onProgress } : {}) };
      underWay += 1;
      try {
        // Only on this transport are arguments also sent as headers; the SDK makes them.
        if (modernHttp && JSON.stringify(definition["inputSchema"]).includes('"x-mcp-header"')) {
          const { outputSchema: _, ...toolDefinition } = definition;
          return ok(await client.callTool(params, { ...limits, toolDefinition: toolDefinition as never }));
        }
        return ok(await client.request({ method: "tools/call", params }, asItCame, limits));
      } catch (thrown) {
        return failed(thrown);
      } finally {
        underWay -= 1;
        if (isRetired && underWay === 0) await client.close();
      }
    },
    unkept: () => (options.transport instanceof StdioTransport ? options.transport.unkept() : new Map()),
    abandon() {
      if (!isLost) options.onLost(connection);
      isLost = true;
    },
    async retire() {
      isRetired = true;
      if (underWay === 0) await client.close();
    },
    async close() {
      await client.close();
    },
  };
  return connection;
}

interface Failure {
  readonly error: DomainError;
  readonly isLost: boolean;
}

/** The failure as a domain error; the server's own message is quoted. */
function failureOf(thrown: unknown, { sdk, transport, spec }: SpeakOptions): Failure {
  const errorOf = (code: "TOOL_ERROR" | "TOOL_TIMEOUT", message: string, more: { retryable?: true } = {}) =>
    domainError(code, `the MCP server "${spec.name}" ${message}`, { ...more, cause: thrown });
  const ended = transport instanceof StdioTransport ? transport.ended : undefined;
  if (ended !== undefined) return { error: errorOf("TOOL_ERROR", `ended before it answered: ${ended}`), isLost: false };
  const message = messageOf(thrown).slice(0, 1000).toWellFormed();
  if (thrown instanceof sdk.SdkError && thrown.code === sdk.SdkErrorCode.RequestTimeout)
    return { error: errorOf("TOOL_TIMEOUT", "did not answer in time"), isLost: false };
  // By the protocol a server answers 404 for a session that it no longer knows, and does not carry out the request.
  if (transport.sessionId !== undefined && thrown instanceof sdk.SdkHttpError && thrown.status === 404)
    return {
      error: errorOf("TOOL_ERROR", "began anew and did not take the request; the next one greets it again", {
        retryable: true,
      }),
      isLost: true,
    };
  // A lost program has ended; the check of `ended` above handles it.
  const isLost = spec.transport.kind === "http" && !(thrown instanceof sdk.ProtocolError);
  return { error: errorOf("TOOL_ERROR", `answered with an error: ${message}`), isLost };
}
