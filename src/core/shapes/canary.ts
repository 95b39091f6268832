/** One attempt to pass a gate that must be closed. */
export interface Canary {
  readonly id: string;
  readonly title: string;
  /** Makes the attempt. `held` means that the gate stopped it. */
  readonly attempt: () => Promise<CanaryResult>;
}

export interface CanaryResult {
  readonly held: boolean;
  /** What was attempted, and the result. */
  readonly detail: string;
}

export interface CanaryReport extends CanaryResult {
  readonly id: string;
  readonly title: string;
}
