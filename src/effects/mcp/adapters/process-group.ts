/** Leaders of groups that must not outlive this process. */
const ours = new Set<number>();
let watching = false;

/**
 * Ends a whole group: a child that its leader left behind too. False when all who are left of it belong to another user
 * (`sudo -u …`): we cannot end them.
 */
export function killGroup(pid: number | undefined, signal: "SIGTERM" | "SIGKILL" = "SIGKILL"): boolean {
  if (pid === undefined) return true;
  try {
    process.kill(-pid, signal);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "EPERM") return false;
    if (code !== "ESRCH") throw thrown; // ESRCH: nobody of the group is left
  }
  return true;
}

/** However this process ends short of a kill -9, the group ends with it: also on the second Ctrl-C, which asks nobody. */
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
