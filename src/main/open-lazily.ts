import type { Result } from "#core/values";
import type { Runtime, RuntimeOptions } from "./parts.ts";

/** The runtime is nearly all of Writ. Only who opens one loads it; `writ config show` and the like stay quick. */
export async function openRuntime(options: RuntimeOptions): Promise<Result<Runtime>> {
  const runtime = await import("./open-runtime.ts");
  return runtime.openRuntime(options);
}
