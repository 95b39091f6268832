import type { Sha256 } from "#core/values";

/** One change that a turn really made, relative to the workspace. */
export type RealizedWrite =
  | {
      readonly kind: "write";
      readonly path: string;
      readonly hash: Sha256;
      readonly size: number;
      readonly mode: number;
      readonly existed: boolean;
    }
  | { readonly kind: "delete"; readonly path: string }
  /** A new folder, or one whose mode was changed. */
  | { readonly kind: "folder"; readonly path: string; readonly mode: number; readonly existed: boolean }
  /** What is never committed: a link, a device, a fifo, a socket, a setuid file, a name that is no text. */
  | { readonly kind: "refused"; readonly path: string; readonly why: string };

export interface Realized {
  readonly writes: readonly RealizedWrite[];
  /** Set when the layer was larger than its limits; then `writes` is incomplete and nothing may be committed. */
  readonly overLimit?: string;
}
