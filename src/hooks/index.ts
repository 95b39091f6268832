/** L6. Asks the registered hooks at ten points and gives their most conservative decision. Keeps no state, runs no tool, changes nothing. */
export { whyUnparsed } from "./adapters/why-unread.ts";
export { workerModules } from "./adapters/worker-modules.ts";
export { heldStep } from "./approval-kinds/held-step.ts";
export { type AskAgain, type AskedAgain, askAgain, type RecordedFiring } from "./ask-again.ts";
export { createHooks, type FireContext, type Hooks, type HooksOptions } from "./create-hooks.ts";
export { type FunctionHook, functionHook } from "./function-hook.ts";
export type { HookAbout, HookHandler, HookInfo, HookOutcome } from "./hook-handler.ts";
export type { HookInput, HookPoint } from "./hook-point.ts";
export { hookPoints, pointSpecs } from "./hook-points.ts";
export { type LoadHooksOptions, loadHooks } from "./load-hooks.ts";
export type { HookModule, HookModules } from "./module-hook.ts";
export type { ShippedOptions } from "./shipped-hook.ts";
