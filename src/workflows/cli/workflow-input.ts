import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, ok, type Result } from "#core/values";
import type { Mode } from "../definitions/cycle.ts";

export const modes: readonly Mode[] = ["interactive", "autofix", "report-only", "headless"];

/** The mode that `--mode` names; undefined where it is not given. */
export function modeOf(named: string | undefined): Result<Mode | undefined> {
  const mode = modes.find((each) => each === named);
  if (named === undefined || mode !== undefined) return ok(mode);
  return err(domainError("MALFORMED_INPUT", `there is no mode ${JSON.stringify(named)}: ${modes.join(", ")}`));
}

export async function readInput(file: string | undefined, cwd: string): Promise<Result<JsonObject>> {
  if (file === undefined) return ok({});
  const { readDocument } = await import("../../core/machine/read-document.ts");
  const document = await readDocument(file, { cwd });
  if (!document.ok) return document;
  if (isJsonObject(document.value)) return ok(document.value);
  return err(domainError("MALFORMED_INPUT", `${file}: the input of a cycle is an object`));
}
