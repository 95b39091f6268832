/** L7. Loads the contracts, keeps the frozen ones frozen, and validates whatever crosses a boundary. Decides nothing else. */
export type * from "./generated/types.ts";
export { type SchemaId, type SchemaRegistry, shippedRegistry } from "./registry.ts";
export { describeErrors, type Violation } from "./violation.ts";
