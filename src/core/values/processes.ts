import type { Result } from "./result.ts";

/** Runs one program to its end. The caller names every limit: no program runs without end or fills memory. */
export interface Processes {
  run(request: ProcessRequest): Promise<Result<ProcessOutcome>>;
}

export interface ProcessRequest {
  /** Program and arguments; no shell in between. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  readonly timeoutMs: number;
  /** What is kept of stdout and of stderr, each; a program that prints more is killed. */
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal;
}

export interface ProcessOutcome {
  readonly end:
    | { readonly kind: "exited"; readonly code: number }
    | { readonly kind: "killed"; readonly signal: string }
    | { readonly kind: "timed_out" }
    | { readonly kind: "flooded" }
    | { readonly kind: "canceled" };
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}
