import { resolve } from "node:path";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { WorkHandler } from "../kernel/run-worker.ts";
import { importModule } from "./import-module.ts";
import type { ThinkingApp } from "./thinking-app.ts";

type Handlers = Readonly<Record<string, WorkHandler>>;

/** Imports an app: a module whose `app` is `{ app_id, turn }`. */
export function loadApp(file: string, cwd: string): Promise<Result<ThinkingApp>> {
  return load(resolve(cwd, file), {
    name: "app",
    expected: '`export const app = { app_id: "NAME", async turn(input, context) { … } }`',
    is: (value): value is ThinkingApp => hasFields(value, { app_id: "string", turn: "function" }),
  });
}

/** Imports a worker: a module whose `handlers` has a function for each capability. */
export function loadHandlers(file: string, cwd: string): Promise<Result<Handlers>> {
  return load(resolve(cwd, file), {
    name: "handlers",
    expected: "`export const handlers = { async CAPABILITY(lease, { signal }) { … } }`, with one function or more",
    is: (value): value is Handlers =>
      typeof value === "object" &&
      value !== null &&
      Object.keys(value).length > 0 &&
      Object.values(value).every((each) => typeof each === "function"),
  });
}

interface Wanted<T> {
  readonly name: string;
  /** An example of the expected export, for the error message. */
  readonly expected: string;
  readonly is: (value: unknown) => value is T;
}

async function load<T>(path: string, { name, expected, is }: Wanted<T>): Promise<Result<T>> {
  const module = await importModule(path);
  if (!module.ok) return module;
  const value = module.value[name];
  if (is(value)) return ok(value);
  const others = Object.keys(module.value).sort().join(", ");
  const found =
    value === undefined
      ? `has no export \`${name}\`: it exports ${others || "nothing"}`
      : `exports a \`${name}\` of another shape`;
  return err(
    domainError("CONFIG_INVALID", `${path} ${found}`, {
      details: { where: path, hint: `it has to have ${expected}` },
    }),
  );
}

function hasFields(value: unknown, types: Readonly<Record<string, string>>): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(types).every(
    ([name, type]) => typeof (value as Readonly<Record<string, unknown>>)[name] === type,
  );
}
