import type { ErrorObject } from "ajv";

/**
 * A failed `oneOf` or `anyOf` reports the problems of all its branches. The author meant one of them: the branch with
 * the fewest problems, without those of another type. Its problems are kept, or the choice itself when no branch is
 * nearer than another. Errors that only report the failure of a neighbour (`if`, `propertyNames`) are dropped.
 */
export function nearestBranch(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === "oneOf" || keyword === "anyOf");
  const dropped = new Set<ErrorObject>();
  for (const choice of choices) {
    const branches = branchesOf(choice, errors);
    if (branches.size === 0) continue; // oneOf that fits several branches
    const near = [...branches.values()].filter((branch) => !branch.some((error) => isOfAnotherKind(error, choice)));
    const fewest = Math.min(...near.map(({ length }) => length));
    const best = near.filter(({ length }) => length === fewest);
    const kept = best.length === 1 ? best[0] : undefined;
    for (const branch of branches.values()) if (branch !== kept) for (const error of branch) dropped.add(error);
    if (kept) dropped.add(choice);
  }
  return errors.filter((error) => !dropped.has(error) && error.keyword !== "if" && error.keyword !== "propertyNames");
}

function branchesOf(choice: ErrorObject, errors: readonly ErrorObject[]): Map<string, ErrorObject[]> {
  const branches = new Map<string, ErrorObject[]>();
  const prefix = `${choice.schemaPath}/`;
  for (const error of errors) {
    if (!error.schemaPath.startsWith(prefix) || !error.instancePath.startsWith(choice.instancePath)) continue;
    const index = error.schemaPath.slice(prefix.length).split("/", 1)[0] ?? "";
    branches.set(index, [...(branches.get(index) ?? []), error]);
  }
  return branches;
}

/** True when the branch's tag or type differs from the value's: the author did not mean this branch. */
function isOfAnotherKind(error: ErrorObject, choice: ErrorObject): boolean {
  const depth = (pointer: string) => pointer.split("/").length;
  if (error.keyword === "type" && error.instancePath === choice.instancePath) return true;
  return error.keyword === "const" && depth(error.instancePath) === depth(choice.instancePath) + 1;
}
