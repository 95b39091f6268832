import { nameMatcher } from "../paths/rights.ts";
import type { ToolDeclaration, ValueRights } from "./declarations.ts";

/** What programs say of the arguments of their own tools, by the tool's name. */
export type DeclaredTools = Readonly<Record<string, ToolDeclaration>>;

/** The framework's declarations with those that programs make of their own tools. Where the framework speaks of a tool, it alone counts. */
export function withDeclaredTools(rights: ValueRights, declared: DeclaredTools): ValueRights {
  const said = Object.keys(rights.tools ?? {}).map(nameMatcher);
  const further = Object.entries(declared).filter(([tool]) => !said.some((matches) => matches(tool)));
  if (further.length === 0) return rights;
  return { ...rights, tools: { ...rights.tools, ...Object.fromEntries(further) } };
}
