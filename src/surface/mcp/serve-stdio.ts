import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Caller } from "#core/values";
import { type McpServerParts, mcpServerFor } from "./mcp-server.ts";

/** Speaks MCP on stdin and stdout until the client closes them or the signal aborts. */
export async function serveMcpOverStdio(parts: McpServerParts, caller: Caller, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const handle = serveStdio(() => mcpServerFor(parts, caller, signal));
    const end = () => void handle.close().then(resolve);
    process.stdin.once("end", end).once("close", end);
    signal.addEventListener("abort", end, { once: true });
  });
}
