/** What an order may do: compiled once from everything that grants and limits it, and asked before every act. */

export { toolNamed } from "../claude/tool-names.ts";
export { codeNamedBy, namesExplicitly } from "../paths/explicit-name.ts";
export { compileGlob, type Glob } from "../paths/glob.ts";
export { codeThatRuns } from "../paths/protected-paths.ts";
export { nameMatcher } from "../paths/rights.ts";
export { patternThatShows, type UnshownFile, whyUnshown } from "../paths/unshown.ts";
export { type Act, type Charged, type Clause, clauseText, type Decision, placeOf } from "./act.ts";
export { checkPatterns } from "./check-patterns.ts";
export {
  compileMandate,
  landingOf,
  limitsOfOrder,
  type MandateInput,
  type Narrowing,
  timeLimitOf,
  toolNames,
} from "./compile-mandate.ts";
export { createMandate, type Mandate } from "./mandate.ts";
export { FilesRead } from "./read-evidence.ts";
export { type OrderRights, readOrderRights } from "./read-used-rights.ts";
export { type ReadableSet, readableSet, withAbove } from "./readable-set.ts";
export type { RightUse } from "./used-rights.ts";
export { choosePack } from "./values-of-order.ts";
