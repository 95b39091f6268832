/** What a package's manifest lets its turns do. An absent list grants nothing; `forbidden` wins over every grant. */
export interface Capabilities {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly execute?: readonly string[];
  readonly forbidden?: readonly string[];
  /** Hosts; absent is none. */
  readonly network?: readonly string[];
}

export type Operation = "read" | "write" | "execute";

/** Which rule decided, in words that can be shown. */
export interface CapabilityDecision {
  readonly operation: Operation;
  /** As it was asked for. */
  readonly asked: string;
  /** Relative to the workspace, after links, `..` and Unicode forms were resolved; null when it lies outside. */
  readonly path: string | null;
  readonly allowed: boolean;
  readonly rule:
    | { readonly kind: "outside" }
    | { readonly kind: "protected" }
    | { readonly kind: "forbidden"; readonly pattern: string }
    | { readonly kind: "granted"; readonly pattern: string }
    | { readonly kind: "not_granted" };
  readonly reason: string;
}
