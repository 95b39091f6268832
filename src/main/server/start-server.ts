import { setMaxListeners } from "node:events";
import type { Clock, Result } from "#core/values";
import type { OpenKernel } from "#runs";
import { studioFiles } from "#surface";
import { type EngineLimits, type Server, serveRoutes } from "../../surface/http/create-server.ts";
import type { Authenticator } from "../../surface/http/security/authenticate.ts";
import { resumeInterrupted } from "../../work/http/resume-interrupted.ts";
import type { Runtime } from "../parts.ts";
import { allRoutes } from "../tables/routes.ts";
import { createServerParts } from "./server-parts.ts";

export interface ServerOptions {
  readonly runtime: Runtime;
  readonly kernel: OpenKernel;
  readonly clock: Clock;
  readonly version: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly authenticator: Authenticator;
  /** The folder of the built studio. */
  readonly studio: string;
  readonly limits: ServerLimits;
  /** Further host names that requests may name. */
  readonly allowedHosts: readonly string[];
  readonly onProblem: (message: string) => void;
}

export interface ServerLimits extends EngineLimits {
  /** The share of the following limits that one caller with a key may hold; at least one. */
  readonly callerShare: number;
  readonly maxStreams: number;
  readonly maxPendingOrders: number;
  /** The longest page of a session that is sent; by default what a browser still opens. */
  readonly bundleBytes?: number;
}

/** Serves the API, MCP and the studio of a workspace. */
export async function startServer(options: ServerOptions): Promise<Result<Server>> {
  const { runtime, kernel, clock, version, limits, onProblem } = options;
  const ending = new AbortController();
  setMaxListeners(0, ending.signal); // one listener for each flow is no leak
  const studio = studioFiles(options.studio);
  const parts = createServerParts({
    runtime,
    kernel,
    routes: allRoutes,
    clock,
    version,
    ...limits,
    hasStudio: studio.size > 0,
    ending: ending.signal,
    onProblem,
  });
  return serveRoutes({
    ...options,
    parts,
    routes: allRoutes,
    studio,
    onListening: (signal) => resumeInterrupted({ ...parts, signal, onProblem }),
    endWork: () => ending.abort(),
    drain: () => parts.orders.drain(),
  });
}
