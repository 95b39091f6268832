import { join } from "node:path";
import { type Clock, domainError, err, messageOf, type Result } from "#base";
import { type LivenessLock, waitForLiveness } from "#store";
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
  let lock: LivenessLock | undefined;
  try {
    lock = await waitForLiveness(file, options);
  } catch (thrown) {
    return err(
      domainError("LEDGER_UNAVAILABLE", `the log of ${root} cannot be written: ${messageOf(thrown)}`, {
        cause: thrown,
      }),
    );
  }
  if (!lock)
    return err(
      domainError(
        "LEDGER_UNAVAILABLE",
        `another process has been busy with the log of ${root} for ${options.waitMs} ms; try again`,
        {
          details: { lock: file },
        },
      ),
    );
  try {
    return await work();
  } finally {
    lock.release();
  }
}
