import { isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ThinkingApp } from "#apps";
import { domainError, err, messageOf, ok, type Result } from "#base";
import type { WorkHandler } from "#kernel";

/** Imports an app: a module whose `app` is `{ app_id, turn }`. */
export function loadApp(file: string, cwd: string): Promise<Result<ThinkingApp>> {
  return load(file, cwd, "app", (value): value is ThinkingApp =>
    hasFields(value, { app_id: "string", turn: "function" }),
  );
}

/** Imports a worker: a module whose `handlers` has a function for each capability. */
export function loadHandlers(file: string, cwd: string): Promise<Result<Readonly<Record<string, WorkHandler>>>> {
  return load(
    file,
    cwd,
    "handlers",
    (value): value is Readonly<Record<string, WorkHandler>> =>
      typeof value === "object" && value !== null && Object.values(value).every((each) => typeof each === "function"),
  );
}

async function load<T>(
  file: string,
  cwd: string,
  name: string,
  is: (value: unknown) => value is T,
): Promise<Result<T>> {
  const path = isAbsolute(file) ? file : resolve(cwd, file);
  try {
    const module = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
    const value = module[name];
    if (is(value)) return ok(value);
    return err(
      domainError("CONFIG_INVALID", `${path} exports no \`${name}\` of the right shape`, { details: { where: path } }),
    );
  } catch (thrown) {
    return err(domainError("CONFIG_INVALID", `cannot load ${path}: ${messageOf(thrown)}`, { cause: thrown }));
  }
}

function hasFields(value: unknown, types: Readonly<Record<string, string>>): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(types).every(
    ([name, type]) => typeof (value as Readonly<Record<string, unknown>>)[name] === type,
  );
}
