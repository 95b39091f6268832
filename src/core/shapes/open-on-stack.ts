import { DisposalStack } from "../values/disposal-stack.ts";
import { ok, type Result } from "../values/result.ts";

/** What was opened on a stack, and what closes all of it. */
export type Opened<Parts> = Parts & { close(): Promise<Result<void>> };

/** Opens several things on one stack: all of them, or none. Where one fails or throws, those opened before it are closed in reverse order. */
export async function openOnStack<Parts extends object>(
  open: (stack: DisposalStack) => Promise<Result<Parts>>,
): Promise<Result<Opened<Parts>>> {
  const stack = new DisposalStack();
  try {
    const opened = await open(stack);
    if (opened.ok) return ok({ ...opened.value, close: () => stack.disposeAsync() });
    await stack.disposeAsync();
    return opened;
  } catch (thrown) {
    await stack.disposeAsync();
    throw thrown;
  }
}
