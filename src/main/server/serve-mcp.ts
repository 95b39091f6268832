import type { Caller } from "#core/values";
import { serveMcpOverStdio } from "#surface";
import { createServerParts, type ServerPartsOptions } from "./server-parts.ts";

/** Serves MCP on stdin and stdout until the client closes them or the signal aborts, then waits for accepted orders. */
export async function serveMcp(
  options: ServerPartsOptions & { readonly caller: Caller; readonly signal: AbortSignal },
): Promise<void> {
  const parts = createServerParts(options);
  await serveMcpOverStdio(parts, options.caller, options.signal);
  await parts.orders.drain();
}
