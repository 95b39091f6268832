import { codeOfError } from "#core/errors";

/** Leaders of groups that must not outlive this process. */
const ours = new Set<number>();
let watching = false;

/**
 * Sends a signal to a whole process group, including children that outlived their leader. False when all processes that are
 * left belong to another user (`sudo -u …`): this process may not signal them.
 */
export function killGroup(pid: number | undefined, signal: "SIGTERM" | "SIGKILL" = "SIGKILL"): boolean {
  if (pid === undefined) return true;
  try {
    process.kill(-pid, signal);
  } catch (thrown) {
    const code = codeOfError(thrown);
    if (code === "EPERM") return false;
    if (code !== "ESRCH") throw thrown; // ESRCH: no process of the group is left
  }
  return true;
}

/** The group ends with this process unless that gets a SIGKILL: also on the second Ctrl-C, which skips the cleanup. */
export function endWithUs(pid: number | undefined): void {
  if (pid === undefined) return;
  ours.add(pid);
  if (watching) return;
  watching = true;
  process.on("exit", () => {
    for (const leader of ours) killGroup(leader);
  });
}

export function noLongerOurs(pid: number | undefined): void {
  if (pid !== undefined) ours.delete(pid);
}
