import type { Sha256 } from "#core/values";

/** Something that a workspace would have done on this machine, beside what Writ does by itself. */
export interface DeclaredAction {
  /** A program run, a server started, an address reached, a secret handed on, a file outside it written, a guard lowered. */
  readonly does: "run" | "start" | "reach" | "send" | "write" | "loosen";
  /** As it is written, in full. */
  readonly what: string;
  /** The file that says so, and where in it. */
  readonly where: string;
  /** Of everything that decides what happens, the bytes of the workspace's own files among it. */
  readonly hash: Sha256;
}
