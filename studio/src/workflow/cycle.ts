/** A cycle as `GET /workflows` tells it. */
export interface Cycle {
  readonly id: string;
  readonly description: string;
  readonly entry_phase?: string;
  readonly phases?: readonly Phase[];
}
export interface Phase {
  readonly id: string;
  readonly description?: string;
  readonly personas?: readonly string[];
  readonly policies?: readonly string[];
  readonly transitions?: readonly { readonly to: string; readonly when?: string }[];
}
