/** Limits of every call. A tool may ask for less or more of each, up to the ceiling. */
export interface ToolLimits {
  /** For a tool that names no limit of its own. */
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  /** How long a tool may take to stop after its signal aborts, before dispatch stops waiting for it. */
  readonly graceMs: number;
  readonly maxArgsBytes: number;
  readonly maxOutputBytes: number;
  readonly maxOutputBytesCeiling: number;
}

export const defaultToolLimits: ToolLimits = {
  timeoutMs: 30_000,
  maxTimeoutMs: 600_000,
  graceMs: 100,
  maxArgsBytes: 1024 * 1024,
  maxOutputBytes: 256 * 1024,
  maxOutputBytesCeiling: 4 * 1024 * 1024,
};
