import type { Result } from "#core/values";

/** Returns the value or throws the error. A turn that cannot read its own run fails; the kernel records why and retries it. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(result.error.message, { cause: result.error });
}
