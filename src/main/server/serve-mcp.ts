import type { Caller } from "#core/values";
import { serveMcpOverStdio } from "#surface";
import { allRoutes } from "../tables/routes.ts";
import { createServerParts, type ServerPartsOptions } from "./server-parts.ts";

/** Serves MCP on stdin and stdout until the client closes them or the signal aborts, then waits for accepted orders. */
export async function serveMcp(
  options: Omit<ServerPartsOptions, "routes"> & { readonly caller: Caller; readonly signal: AbortSignal },
): Promise<void> {
  const parts = createServerParts({ ...options, routes: allRoutes });
  await serveMcpOverStdio(parts, options.caller, options.signal);
  await parts.orders.drain();
}
