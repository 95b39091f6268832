/** CEL: expressions over recorded facts, compiled once and bounded; and the parameters of texts. */
export { type Compiled, compileExpression } from "./compile.ts";
export { jsonOfValue } from "./json-of-value.ts";
export { loadCel } from "./load-cel.ts";
export { fillParameters, type Parameters, parametersOf, parameterValue } from "./parameters.ts";
export type { Read } from "./reads.ts";
export { missingIn, shapeOfSchema } from "./shape-of-schema.ts";
export { type Shape, variables } from "./variables.ts";
