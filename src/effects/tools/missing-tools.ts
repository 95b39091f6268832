import { suggest } from "#core/values";
import { nameMatcher } from "#governance/mandate";
import type { ToolRegistry } from "./registry.ts";

/** Those of the wanted names and globs that no tool here answers to, each with the reason: who wrote them expects a tool. */
export function missingTools(
  wanted: readonly string[],
  registry: Pick<ToolRegistry, "list" | "absence">,
): readonly { readonly tool: string; readonly reason: string }[] {
  const names = registry.list().map(({ name }) => name);
  return wanted
    .filter((tool) => !names.some((name) => nameMatcher(tool)(name)))
    .map((tool) => ({ tool, reason: registry.absence(tool)?.message ?? unknown(tool, names) }));
}

function unknown(tool: string, names: readonly string[]): string {
  const meant = suggest(tool, names);
  return `there is no tool "${tool}"; ${meant ? `did you mean ${meant}?` : "`writ tool list` names those there are"}`;
}
