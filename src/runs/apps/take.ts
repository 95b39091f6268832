import type { Result } from "#core/values";

/** A turn that cannot read its own run has failed: the kernel records why and asks again. */
export function take<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(result.error.message, { cause: result.error });
}
