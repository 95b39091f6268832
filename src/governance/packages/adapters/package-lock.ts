import { join } from "node:path";
import { type LivenessLock, waitForLiveness } from "#core/database";
import { domainError, messageOf } from "#core/errors";
import { type Clock, err, type Result } from "#core/values";
import type { PackageHome } from "../home.ts";

/** One install, removal or repair at a time in a home. The lock falls with the process that holds it, however that ends. */
export async function withPackageLock<T>(
  home: PackageHome,
  options: { readonly clock: Clock; readonly waitMs: number },
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const file = join(home.root, home.folder, ".lock");
  let lock: LivenessLock | undefined;
  try {
    lock = await waitForLiveness(file, options);
  } catch (thrown) {
    return err(
      domainError("STORE_UNAVAILABLE", `${home.folder}/ cannot be written: ${messageOf(thrown)}`, { cause: thrown }),
    );
  }
  if (!lock)
    return err(
      domainError(
        "STORE_UNAVAILABLE",
        `another process has been changing packages for ${options.waitMs} ms; try again`,
      ),
    );
  try {
    return await work();
  } finally {
    lock.release();
  }
}
