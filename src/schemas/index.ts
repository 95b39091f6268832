/** L7. Loads the contracts, keeps the frozen ones frozen, and parses and validates whatever crosses a boundary. Decides nothing else. */
export { type CompileOptions, compileSchema, type Validate } from "./compile.ts";
export { exampleObject } from "./example-value.ts";
export { type Frontmatter, parseFrontmatter } from "./frontmatter.ts";
export { ledgerRules } from "./generated/tables.ts";
export type * from "./generated/types.ts";
export { type LocatedViolation, readContract, type Source } from "./read-contract.ts";
export { type SchemaId, type SchemaInfo, type SchemaRegistry, shippedRegistry } from "./registry.ts";
export type { LedgerRule } from "./shipped.ts";
export { validateAgainst } from "./validate-against.ts";
export type { Violation } from "./violation.ts";
export { violationsOf } from "./violations-of.ts";
export { loadRegistry } from "./workspace.ts";
export { type Located, locateYaml, parseYaml } from "./yaml.ts";
