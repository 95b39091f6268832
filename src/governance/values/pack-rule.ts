import type { ValueRights } from "./declarations.ts";

export type ValueRule = NonNullable<ValueRights["rules"]>[number];

/** A rule of a document that ships. */
export interface PackRule {
  /** Where it stands in its document. */
  readonly line: number;
  readonly rule: ValueRule;
}
