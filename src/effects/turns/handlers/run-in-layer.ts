import { mkdirSync } from "node:fs";
import { ok, type Result } from "#core/values";
import type { TurnLimits } from "../../sandbox/limits.ts";
import { scanLayer } from "../../sandbox/scan-layer.ts";
import type { FileView } from "../layer/file-view.ts";
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
  options: { readonly layer: string; readonly limits: TurnLimits; readonly view: FileView },
): Promise<Result<Ran>> {
  const { layer, limits, view } = options;
  mkdirSync(layer, { mode: 0o700 });
  const outcome = await callFunction(deps, call, handler, { writeDir: layer, timeoutMs: limits.timeoutMs, view });
  const realized = scanLayer({
    upper: layer,
    base: view,
    hidden: new Set(),
    ignored: [],
    limits,
  });
  return ok({ outcome, realized, given: [], layer, inPlace: false });
}
