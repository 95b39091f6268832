/** What one turn may use. Each is a ceiling that the kernel or Writ keeps, never a wish. */
export interface TurnLimits {
  readonly timeoutMs: number;
  readonly cpuSeconds: number;
  /** Private writable memory of one process. */
  readonly memoryBytes: number;
  readonly processes: number;
  readonly openFiles: number;
  /** The largest single file, which also bounds standard output. */
  readonly fileBytes: number;
  /** What is kept of standard output and of standard error, each; more fails the turn. */
  readonly outputBytes: number;
  /** Everything that the turn wrote, together. */
  readonly layerBytes: number;
  readonly layerFiles: number;
  /** /tmp and /dev/shm, each. */
  readonly scratchBytes: number;
}

export const defaultLimits: TurnLimits = {
  timeoutMs: 60_000,
  cpuSeconds: 120,
  memoryBytes: 4 * 2 ** 30,
  processes: 256,
  openFiles: 1024,
  fileBytes: 256 * 2 ** 20,
  outputBytes: 4 * 2 ** 20,
  layerBytes: 2 ** 30,
  layerFiles: 100_000,
  scratchBytes: 64 * 2 ** 20,
};

/** The shell's words for the limits; dash calls the number of processes `-p`, bash `-u`. */
export function limitCommands(limits: TurnLimits): string {
  return [
    "ulimit -c 0",
    `ulimit -t ${limits.cpuSeconds}`,
    `ulimit -d ${Math.ceil(limits.memoryBytes / 1024)}`,
    `ulimit -f ${Math.ceil(limits.fileBytes / 512)}`,
    `ulimit -n ${limits.openFiles}`,
    `{ ulimit -u ${limits.processes} 2>/dev/null || ulimit -p ${limits.processes}; }`,
  ].join(" && ");
}
