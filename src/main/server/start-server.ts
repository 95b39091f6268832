import { setMaxListeners } from "node:events";
import type { Caller, Result } from "#core/values";
import { serveMcpOverStdio, studioFiles } from "#surface";
import { type EngineLimits, type EngineOptions, type Server, serveRoutes } from "../../surface/http/create-server.ts";
import { carryWaiting } from "../../work/http/carry-waiting.ts";
import { resumeInterrupted } from "../../work/http/resume-interrupted.ts";
import { allRoutes } from "../tables/routes.ts";
import { createServerParts, type PartLimits, type ServerParts, type ServerPartsOptions } from "./server-parts.ts";

type Given = Pick<ServerPartsOptions, "runtime" | "kernel" | "clock" | "version" | "onProblem">;

export interface ServerOptions
  extends Given,
    Pick<EngineOptions<ServerParts>, "host" | "port" | "authenticator" | "allowedHosts" | "mcpSeen"> {
  /** The folder of the built studio. */
  readonly studio: string;
  readonly limits: ServerLimits;
}

export interface ServerLimits extends EngineLimits, PartLimits {}

/** Serves the API, MCP and the studio of a workspace. */
export async function startServer(options: ServerOptions): Promise<Result<Server>> {
  const { limits, onProblem } = options;
  const ending = new AbortController();
  setMaxListeners(0, ending.signal); // one listener for each flow is no leak
  const studio = studioFiles(options.studio);
  const given = { ...options, ...limits, routes: allRoutes, hasStudio: studio.size > 0, ending: ending.signal };
  const parts = createServerParts(given);
  return serveRoutes({
    ...options,
    parts,
    routes: allRoutes,
    studio,
    onListening(signal) {
      resumeInterrupted({ ...parts, signal, onProblem });
      carryWaiting({ ...parts, signal, onProblem });
    },
    endWork: () => ending.abort(),
    drain: async () => void (await Promise.all([parts.orders.drain(), parts.gateway.close()])),
  });
}

/** Serves MCP on stdin and stdout until the client closes them or the signal aborts, then waits for accepted orders. */
export async function serveMcp(
  options: Omit<ServerPartsOptions, "routes"> & { readonly caller: Caller; readonly signal: AbortSignal },
): Promise<Result<void>> {
  const parts = createServerParts({ ...options, routes: allRoutes });
  const served = await serveMcpOverStdio(parts, options.caller, options.signal);
  await parts.orders.drain();
  return served;
}
