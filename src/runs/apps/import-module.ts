import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { domainError, messageOf } from "#core/errors";
import { readingFailure } from "#core/machine";
import { err, ok, type Result } from "#core/values";

type Exports = Readonly<Record<string, unknown>>;

/** Imports a user's module, JavaScript or TypeScript, by its absolute path. The caller checks its exports. */
export async function importModule(path: string): Promise<Result<Exports>> {
  const found = await whatIsAt(path);
  if (!found.ok) return found;
  try {
    return ok(await importFrom(path));
  } catch (thrown) {
    // The error of a failed import lacks the line of a syntax error; `node --check` prints it.
    const hint =
      thrown instanceof SyntaxError && !isTypeScript(path)
        ? `\`node --check ${path}\` shows the line`
        : "it has to load by itself: mend what the message names; --debug shows where it was thrown";
    return err(
      domainError("CONFIG_INVALID", `cannot load ${path}: ${messageOf(thrown)}`, {
        details: { where: path, hint },
        cause: thrown,
      }),
    );
  }
}

async function whatIsAt(path: string): Promise<Result<void>> {
  try {
    if ((await stat(path)).isFile()) return ok(undefined);
    return err(domainError("MALFORMED_INPUT", `${path} is no file`, { details: { where: path, hint: wayOut } }));
  } catch (thrown) {
    return readingFailure(path, thrown, wayOut);
  }
}

const wayOut = "name the module itself, with its ending: ./my-module.mjs, .js or .ts";

async function importFrom(path: string): Promise<Exports> {
  const url = pathToFileURL(path).href;
  // Node imports TypeScript from 22.18 on; older versions need tsx.
  if (!isTypeScript(path) || Reflect.get(process.features, "typescript")) return (await import(url)) as Exports;
  const { tsImport } = await import("tsx/esm/api");
  return (await tsImport(url, import.meta.url)) as Exports;
}

function isTypeScript(path: string): boolean {
  return /\.[cm]?ts$/.test(path);
}
