import type { JsonObject } from "#core/values";

/** What an agent, a tool or a program is about to do. A mandate is asked about each before it happens. */
export type Act =
  | {
      readonly kind: "tool";
      readonly tool: string;
      /** As they would run; absent while only the name is known, when no limit on arguments or calls is weighed. */
      readonly args?: JsonObject;
      /** What the permissions were charged with so far. */
      readonly charged?: Charged;
    }
  /** Paths are relative to the workspace, with links resolved. */
  | { readonly kind: "read" | "write" | "delete"; readonly path: string }
  /** Instructions of the workspace, such as a skill's: the tool that loads them grants it, unless their file is forbidden. */
  | { readonly kind: "load"; readonly path: string }
  /** The whole command line, program first. */
  | { readonly kind: "program"; readonly command: readonly string[] }
  /** A program outside a sandbox, where nothing holds what it reads, writes and reaches. */
  | { readonly kind: "unconfined" }
  /** A tool is given a value that redaction took out, from `file:PATH`, `tool:NAME`, `call:NAME` or `order`. */
  | { readonly kind: "open"; readonly tool: string; readonly from: string }
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "model"; readonly model: string }
  /** A profile of models; undefined is the workspace's own. */
  | { readonly kind: "profile"; readonly profile: string | undefined }
  /** What the order will have used in all when it has done so. */
  | { readonly kind: "spend"; readonly what: SpentThing; readonly total: number }
  /** Orders handed down at once: how deep below the first order, how many, and how many the order handed down before. */
  | { readonly kind: "delegate"; readonly depth: number; readonly count: number; readonly before: number };

/** What an order has a limit on. */
export type SpentThing = "tokens" | "calls" | "seconds" | "usd";

/** Calls that permissions were charged with, by their place: of the order, and of the orders above it. */
export interface Charged {
  readonly of: (permission: string) => number;
  readonly above?: Charged | undefined;
}

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
  /** What the order above says, which is charged too. */
  readonly above?: Decision;
  /** Why a person has to approve it first. */
  readonly approval?: Clause & { readonly reason: string };
}

/** The same of a limit, whose place is better known than its document: `budget.token_limit in writ.yaml`. */
export function placeOf({ document, path }: Clause): string {
  return path === "" ? document : `${path} in ${document}`;
}

export function clauseText({ document, path }: Clause): string {
  return path === "" ? document : `${document} (${path})`;
}
