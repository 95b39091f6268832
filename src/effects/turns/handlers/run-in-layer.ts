import { mkdirSync } from "node:fs";
import { ok, type Result } from "#core/values";
import type { TurnLimits } from "../../sandbox/limits.ts";
import { scanLayer } from "../../sandbox/scan-layer.ts";
import type { TurnCall, TurnDeps, TurnHandler } from "../turn.ts";
import { callFunction } from "./call-function.ts";
import type { Ran } from "./run-sandboxed.ts";

/**
 * Runs a function of this process that writes into a folder of its own. Nothing holds the function, and the evidence says
 * so; but what it wrote is read from the layer, compared and committed exactly as if a sandbox had held it.
 */
export async function runInLayer(
  deps: TurnDeps,
  call: TurnCall,
  handler: Extract<TurnHandler, { kind: "function" }>,
  options: { readonly layer: string; readonly limits: TurnLimits },
): Promise<Result<Ran>> {
  const { layer, limits } = options;
  mkdirSync(layer, { mode: 0o700 });
  const outcome = await callFunction(deps, call, handler, { writeDir: layer, timeoutMs: limits.timeoutMs });
  const realized = scanLayer({
    upper: layer,
    base: deps.root,
    merged: deps.root, // nothing can be removed by way of a plain folder
    hidden: new Set(),
    ignored: [],
    limits,
  });
  return ok({ outcome, realized, given: [], layer, inPlace: false });
}
