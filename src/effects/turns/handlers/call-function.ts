import { type DomainError, domainError, messageOf } from "#core/errors";
import { type JsonValue } from "#core/values";
import type { FileView } from "../layer/file-view.ts";
import type { TurnCall, TurnDeps, TurnHandler } from "../turn.ts";
import { turnFolders } from "../turn-folders.ts";
import type { HandlerOutcome } from "./command-and-outcome.ts";

/** Calls a handler of this process, and comes back by its deadline whether it has ended or not. */
export async function callFunction(
  deps: TurnDeps,
  call: TurnCall,
  handler: Extract<TurnHandler, { kind: "function" }>,
  options: { readonly writeDir: string; readonly timeoutMs: number; readonly view: FileView },
): Promise<HandlerOutcome> {
  const { writeDir, timeoutMs } = options;
  const { scratch, output } = turnFolders(call.recorder.session_id);
  const controller = new AbortController();
  const stop = () => controller.abort();
  call.signal?.addEventListener("abort", stop, { once: true });
  let result: JsonValue = null;
  let error: DomainError | undefined;
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = deps.clock.after(timeoutMs, () => {
      controller.abort();
      reject(new Error(`it did not end within ${timeoutMs} ms`));
    });
  });
  try {
    const context = {
      root: deps.root,
      view: options.view,
      writeDir,
      sessionId: call.recorder.session_id,
      outputDir: `${writeDir}/${output}`,
      scratchDir: `${deps.root}/${scratch}`,
      signal: controller.signal,
    };
    result = await Promise.race([Promise.resolve(handler.run(call.request, context)), late]);
  } catch (thrown) {
    error = domainError("TURN_FAILED", `the function failed: ${messageOf(thrown)}`, { cause: thrown });
  } finally {
    cancel();
    call.signal?.removeEventListener("abort", stop);
  }
  return { result: result ?? null, ...(error ? { error } : {}) };
}
