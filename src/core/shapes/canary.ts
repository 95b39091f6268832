/** One attempt to get through a gate that must be shut. */
export interface Canary {
  readonly id: string;
  readonly title: string;
  /** Tries. Held means that it did not get through. */
  readonly attempt: () => Promise<CanaryResult>;
}

export interface CanaryResult {
  readonly held: boolean;
  /** What was tried, and what came of it. */
  readonly detail: string;
}

export interface CanaryReport extends CanaryResult {
  readonly id: string;
  readonly title: string;
}
