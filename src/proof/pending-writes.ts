/** What the order of a session has written that is not in the workspace, as the place that keeps it says. */
export interface ShownWrites {
  readonly state: "gathering" | "quarantine";
  readonly writes: readonly {
    readonly path: string;
    readonly change: string;
    readonly sha256: string | null;
    readonly difference: string | null;
  }[];
}
