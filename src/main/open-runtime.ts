import { DisposalStack, ok, type Result } from "#core/values";
import type { Runtime, RuntimeOptions } from "./parts.ts";
import { openPlaces, standard, type Wiring } from "./wiring.ts";

/** From a folder to a wired workspace. Where a place cannot be opened, those opened before it are closed again in reverse order. */
export async function openRuntime(options: RuntimeOptions, wiring: Wiring = standard): Promise<Result<Runtime>> {
  const stack = new DisposalStack();
  try {
    const opened = await openPlaces(options, wiring, stack);
    if (opened.ok) return ok({ ...opened.value, close: () => stack.disposeAsync() });
    await stack.disposeAsync();
    return opened;
  } catch (thrown) {
    await stack.disposeAsync();
    throw thrown;
  }
}
