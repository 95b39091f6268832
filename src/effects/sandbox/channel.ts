/**
 * Descriptors that the holder starts with. 0 to 2 are the turn's own files; the rest never reach the turn.
 *
 *   Writ ──5──► holder (owns the mounts) ──► bubblewrap ──► pid 1 (waits on 6) ──► the command
 *        ◄──4── bubblewrap: pid, exit status
 */
export const channel = { seccomp: 3, status: 4, control: 5, go: 6 } as const;
