import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { JsonObject } from "#core/values";
import { adaptiveCases } from "./adaptive/adaptive-cases.ts";
import { type NamedCase, pairCases, shadowCases, taskCases } from "./cases.ts";
import type { Suite } from "./corpus.ts";

/** Cases of a suite that are played under the same rights. */
export interface Part {
  readonly name: string;
  /** Null: values are not judged. */
  readonly values: JsonObject | null;
  readonly cases: readonly NamedCase[];
}

/** What is judged by: with what a person declared of the suite's tools, and as on the first day, when nothing is declared. */
export interface Rights {
  /** Undefined where nobody declared anything. */
  readonly declared: JsonObject | undefined;
  readonly dayOne: JsonObject;
}

export const modes = ["declared", "day one"] as const;
export type Mode = (typeof modes)[number];

/** On day one nothing is declared but the person's own addresses. */
export function rightsFor(
  { name, declarations }: Suite,
  { pack, declarations: folder }: { readonly pack: string; readonly declarations: string },
): Rights {
  const file = join(folder, `${name}.yaml`);
  const declared = declarations ?? (existsSync(file) ? (parse(readFileSync(file, "utf8")) as JsonObject) : {});
  const { own, tools } = declared;
  const dayOne = { pack, ...(own === undefined ? {} : { own }) };
  return { declared: tools === undefined ? undefined : { ...dayOne, tools }, dayOne };
}

export function partsOf(suite: Suite, { declared, dayOne }: Rights): readonly Part[] {
  const under = (mode: Mode, values: JsonObject): readonly Part[] => [
    { name: `${mode}, tasks`, values, cases: taskCases(suite) },
    { name: `${mode}, own grants`, values, cases: pairCases(suite, "own") },
    { name: `${mode}, all tools`, values, cases: pairCases(suite, "all") },
    { name: `${mode}, shadows`, values, cases: shadowCases(suite) },
    { name: `${mode}, adaptive`, values, cases: adaptiveCases(suite) },
  ];
  const control = {
    ...suite,
    pairs: suite.pairs.filter((_, at) => at % 5 === 0),
  };
  return [
    ...(declared ? under("declared", declared) : []),
    ...under("day one", dayOne),
    { name: "control", values: null, cases: pairCases(control, "all") },
    { name: "control, adaptive", values: null, cases: adaptiveCases(suite) },
  ].filter(({ cases }) => cases.length > 0);
}
