import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Clock, domainError, err, messageOf, type Result, sleep } from "#base";
import { holdLiveness, type LivenessLock } from "#store";
import type { PackageHome } from "../packages/home.ts";

/** One install, removal or repair at a time in a home. The lock falls with the process that holds it, however that ends. */
export async function withPackageLock<T>(
  home: PackageHome,
  options: { readonly clock: Clock; readonly waitMs: number },
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const file = join(home.root, home.folder, ".lock");
  const deadline = options.clock.monotonic() + options.waitMs;
  let lock: LivenessLock | undefined;
  for (;;) {
    try {
      mkdirSync(join(home.root, home.folder), { recursive: true });
      lock = holdLiveness(file);
    } catch (thrown) {
      return err(
        domainError("STORE_UNAVAILABLE", `${home.folder}/ cannot be written: ${messageOf(thrown)}`, { cause: thrown }),
      );
    }
    if (lock) break;
    if (options.clock.monotonic() >= deadline)
      return err(
        domainError(
          "STORE_UNAVAILABLE",
          `another process has been changing packages for ${options.waitMs} ms; try again`,
        ),
      );
    await sleep(options.clock, 5);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
