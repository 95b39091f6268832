import { type DomainError, domainError } from "#core/errors";
import type { Realized, RealizedWrite } from "./realized.ts";

/** One output that a turn promised, resolved. */
export interface DeclaredOutput {
  readonly path: string;
  /** A whole folder: any files below it, at least one. */
  readonly folder: boolean;
  readonly action: "write" | "delete";
}

export interface Comparison {
  readonly undeclared: readonly RealizedWrite[];
  readonly missing: readonly string[];
}

export interface CompareOptions {
  readonly declared: readonly DeclaredOutput[];
  readonly realized: Realized;
  /** Folders that Writ itself made for the turn. */
  readonly given: readonly string[];
  /** Whether the turn's rights cover a path that was declared only by its folder. */
  readonly mayWrite: (path: string) => boolean;
}

/** Declared against realized. Only an empty answer on both sides is equality. */
export function compareWrites(options: CompareOptions): Comparison {
  const { declared, realized } = options;
  const exact = new Map(declared.filter((each) => !each.folder).map((each) => [each.path, each.action]));
  const folders = declared.filter((each) => each.folder);
  const coveredBy = (path: string, action: "write" | "delete") =>
    folders.some((each) => each.action === action && (path === each.path || path.startsWith(`${each.path}/`))) &&
    options.mayWrite(path);
  // A new folder on the way to a file of a declared folder.
  const leads = (folder: string) =>
    realized.writes.some(
      ({ kind, path }) => kind === "write" && path.startsWith(`${folder}/`) && coveredBy(path, "write"),
    );
  const ancestors = new Set(declared.flatMap((each) => foldersAbove(each.path)));
  const isDeclared = (write: RealizedWrite): boolean => {
    switch (write.kind) {
      case "refused":
        return false;
      case "write":
        return exact.get(write.path) === "write" || coveredBy(write.path, "write");
      case "delete":
        return exact.get(write.path) === "delete" || coveredBy(write.path, "delete");
      case "folder":
        if (coveredBy(write.path, "write")) return true;
        return !write.existed && (ancestors.has(write.path) || options.given.includes(write.path) || leads(write.path));
    }
  };
  const done = (action: "write" | "delete") =>
    realized.writes.filter((write) => write.kind === action).map((write) => write.path);
  const written = new Set(done("write"));
  const deleted = new Set(done("delete"));
  const missing = declared.filter(({ path, folder, action }) => {
    const set = action === "write" ? written : deleted;
    if (!folder) return !set.has(path);
    // Cleared before it is filled: there may have been nothing to clear.
    if (action === "delete" && folders.some((each) => each.path === path && each.action === "write")) return false;
    return !set.has(path) && ![...set].some((each) => each.startsWith(`${path}/`));
  });
  return {
    undeclared: realized.writes.filter((write) => !isDeclared(write)),
    missing: missing.map((each) => each.path),
  };
}

/** The failure that a comparison amounts to; undefined when declared equals realized. */
export function comparisonError(comparison: Comparison, realized: Realized): DomainError | undefined {
  if (realized.overLimit !== undefined)
    return domainError("TURN_LIMIT", `the turn wrote ${realized.overLimit}; nothing landed`, {
      details: { limit: realized.overLimit },
    });
  const { undeclared, missing } = comparison;
  if (undeclared.length > 0) {
    const shown = undeclared.slice(0, 5).map(describeWrite).join(", ");
    const more = undeclared.length > 5 ? ` and ${undeclared.length - 5} more` : "";
    return domainError(
      "UNDECLARED_WRITE",
      `the turn changed what it had not declared: ${shown}${more}; nothing landed. Declare it in declared_outputs, or do not write it`,
      { details: { undeclared: undeclared.slice(0, 100), missing } },
    );
  }
  if (missing.length > 0)
    return domainError(
      "MISSING_OUTPUT",
      `the turn declared ${missing.slice(0, 5).join(", ")}${missing.length > 5 ? ` and ${missing.length - 5} more` : ""} and did not write it; nothing landed`,
      { details: { missing: missing.slice(0, 100) } },
    );
  return undefined;
}

export function describeWrite(write: RealizedWrite): string {
  switch (write.kind) {
    case "write":
      return `${write.path} (${write.existed ? "changed" : "created"})`;
    case "delete":
      return `${write.path} (deleted)`;
    case "folder":
      return `${write.path}/ (${write.existed ? "mode changed" : "folder created"})`;
    case "refused":
      return `${write.path} (${write.why})`;
  }
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
