import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Caller } from "#base";
import { createServices, type ServiceOptions } from "../create-services.ts";
import { mcpServerFor } from "./mcp-server.ts";

/** Speaks MCP on stdin and stdout until the client closes them or the signal aborts; what was accepted then ends. */
export async function serveMcp(
  options: ServiceOptions & { readonly caller: Caller; readonly signal: AbortSignal },
): Promise<void> {
  const services = createServices(options);
  await new Promise<void>((resolve) => {
    const handle = serveStdio(() => mcpServerFor(services, options.caller, options.signal));
    const end = () => void handle.close().then(resolve);
    process.stdin.once("end", end).once("close", end);
    options.signal.addEventListener("abort", end, { once: true });
  });
  await services.orders.drain();
}
