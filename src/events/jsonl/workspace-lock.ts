import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Clock, domainError, err, messageOf, type Result, sleep } from "#base";
import { holdLiveness, type LivenessLock } from "#store";
import { journalFolder } from "./paths.ts";

export interface LockOptions {
  readonly clock: Clock;
  readonly waitMs: number;
}

/**
 * Who takes over sessions or finishes dead journals does it alone in the workspace. The lock falls with its holder, however
 * that one ends. Readers and those who only create sessions never come here.
 */
export async function withWorkspaceLock<T>(
  root: string,
  options: LockOptions,
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const file = join(journalFolder(root), "workspace.lock");
  const deadline = options.clock.monotonic() + options.waitMs;
  let lock: LivenessLock | undefined;
  for (;;) {
    try {
      mkdirSync(journalFolder(root), { recursive: true });
      lock = holdLiveness(file);
    } catch (thrown) {
      return err(
        domainError("LEDGER_UNAVAILABLE", `the log of ${root} cannot be written: ${messageOf(thrown)}`, {
          cause: thrown,
        }),
      );
    }
    if (lock) break;
    if (options.clock.monotonic() >= deadline)
      return err(
        domainError(
          "LEDGER_UNAVAILABLE",
          `another process has been busy with the log of ${root} for ${options.waitMs} ms; try again`,
          {
            details: { lock: file },
          },
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
