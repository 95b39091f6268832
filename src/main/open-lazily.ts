import type { Result } from "#core/values";
import type { Wiring } from "./open-runtime.ts";
import type { Runtime, RuntimeOptions } from "./parts.ts";

/** The runtime is nearly all of Writ, so it is loaded when a caller opens one; `writ config show` and the like stay quick. */
export async function openLazily(
  options: RuntimeOptions,
  rewire: (standard: Wiring) => Partial<Wiring> = () => ({}),
): Promise<Result<Runtime>> {
  const { openRuntime, standard } = await import("./open-runtime.ts");
  return openRuntime(options, { ...standard, ...rewire(standard) });
}
