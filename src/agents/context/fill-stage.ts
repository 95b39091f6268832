import type { AttentionStageV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { fillParameters, type Parameters, parametersOf, parameterValue } from "#core/expressions";
import { err, isJsonObject, type JsonObject, type JsonValue, ok, type Result } from "#core/values";

/** Fills the parameters of a stage: in its paths, its query, its words and the values that it compares with. */
export function fillStage(stage: AttentionStageV1, values: Parameters, where: string): Result<AttentionStageV1> {
  const fill = filler(values, where);
  switch (stage.type) {
    case "file_read":
      return fill.done({ ...stage, paths: fill.paths(stage.paths) });
    case "horizontal_search":
      return fill.done({
        ...stage,
        ...(stage.query === undefined ? {} : { query: fill.text(stage.query) }),
        ...(stage.paths === undefined ? {} : { paths: fill.paths(stage.paths) }),
      });
    case "ledger_query":
      return fill.done({
        ...stage,
        ...(stage.text === undefined ? {} : { text: fill.text(stage.text) }),
        ...(stage.where === undefined ? {} : { where: fill.where(stage.where) }),
      });
    case "registry_query":
      return fill.done({ ...stage, ...(stage.where === undefined ? {} : { where: fill.where(stage.where) }) });
    case "custom":
      return fill.done({ ...stage, ...(stage.config === undefined ? {} : { config: fill.config(stage.config) }) });
    case "tier_select":
    case "structuring":
    case "halting":
      return ok(stage);
  }
}

type Scalar = string | number | boolean;

/** Fills text after text and keeps the first error for the end, so that a stage is filled in one expression. */
function filler(values: Parameters, where: string) {
  let failed: Result<never> | undefined;
  const taken = (filled: Result<string>): string => {
    if (filled.ok) return filled.value;
    failed ??= filled;
    return "";
  };
  const text = (each: string): string => taken(fillParameters(each, values, where));
  const path = (each: string): string => {
    const unfit = parametersOf(each).find((name) => !isNameOfFile(parameterValue(values, name)));
    return taken(unfit === undefined ? fillParameters(each, values, where) : err(unfitForPath(unfit, where)));
  };
  const config = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(config);
    return isJsonObject(value) ? objectOf(value) : value;
  };
  const objectOf = (value: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([key, each]) => [key, config(each)]));
  return {
    text,
    paths: (paths: readonly string[]) => paths.map(path),
    where: (fields: Readonly<Record<string, Scalar>>): Record<string, Scalar> =>
      Object.fromEntries(
        Object.entries(fields).map(([key, each]) => [key, typeof each === "string" ? text(each) : each]),
      ),
    config: (value: object) => objectOf(value as JsonObject),
    done: (stage: AttentionStageV1): Result<AttentionStageV1> => failed ?? ok(stage),
  };
}

/** A value in a path names a file or a folder. A pattern in it would read what the author of the template did not name. */
function isNameOfFile(value: string | undefined): boolean {
  return value === undefined || !(/[*?[\]{}!\\\0]/.test(value) || value.split("/").includes(".."));
}

function unfitForPath(name: string, where: string) {
  return domainError(
    "WORK_ORDER_INVALID",
    `${where} uses {{${name}}} in a path, and its value is a pattern or leads out of the folder; it has to name one file or folder`,
    { details: { parameter: name } },
  );
}
