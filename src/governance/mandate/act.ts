import type { JsonObject } from "#core/values";

/** What an agent, a tool or a program is about to do. A mandate is asked about each before it happens. */
export type Act =
  | {
      readonly kind: "tool";
      readonly tool: string;
      /** As they would run; absent while only the name is known, when no limit on arguments or calls is weighed. */
      readonly args?: JsonObject;
      /** Calls that a permission was charged with so far, by its place. */
      readonly charged?: (permission: string) => number;
    }
  /** Paths are relative to the workspace, with links resolved. */
  | { readonly kind: "read" | "write" | "delete"; readonly path: string }
  /** The whole command line, program first. */
  | { readonly kind: "program"; readonly command: readonly string[] }
  /** A tool is given a value that redaction took out, from `file:PATH`, `tool:NAME`, `call:NAME` or `order`. */
  | { readonly kind: "open"; readonly tool: string; readonly from: string }
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "model"; readonly model: string };

/** A place in a document that decides: `work order WO-…`, `scope.allowed_files`. */
export interface Clause {
  readonly document: string;
  readonly path: string;
}

/** The answer to "may this act happen?". */
export interface Decision {
  readonly allowed: boolean;
  /** The clauses that decided: all that granted it, or those that did not. */
  readonly clauses: readonly Clause[];
  /** The same in words. */
  readonly reason: string;
  /** Why the file is of the class code-that-runs, where it was granted as one. */
  readonly code_that_runs?: string;
  /** The permission that the call is charged to. */
  readonly charge?: string;
  /** Why a person has to approve it first. */
  readonly approval?: Clause & { readonly reason: string };
}

export function clauseText({ document, path }: Clause): string {
  return path === "" ? document : `${document} (${path})`;
}
