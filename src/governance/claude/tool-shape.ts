import { posix } from "node:path";
import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, type JsonValue, ok, type Result } from "#core/values";

/** A call of one of Writ's tools in the form of one tool of Claude Code. Several where that tool does less in one call. */
export interface ToolShape {
  readonly name: string;
  /** How many calls it takes there. */
  count(args: JsonObject): number;
  show(args: JsonObject, at: Place): JsonObject;
  /** The arguments of Writ for an input that a program changed. */
  apply(args: JsonObject, input: JsonObject, at: Place): Result<JsonObject>;
}

export interface Place {
  /** The workspace, absolute. */
  readonly root: string;
  /** Which of the calls, from 0. */
  readonly index: number;
}

export function one(): number {
  return 1;
}

export function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
export function list(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((each): each is JsonObject => isJsonObject(each)) : [];
}

/** Names such as `artifact:…` are none of a file, and are shown as they are. */
export function absolute(root: string, path: string): string {
  if (path === "" || path === ".") return root;
  return path.startsWith("/") || /^(?:artifact|skill):/.test(path) ? path : `${root}/${posix.normalize(path)}`;
}

/** The path of a changed input from the workspace; undefined where the input does not have the field. */
export function pathIn(
  input: JsonObject,
  field: string,
  { args, at }: { readonly args: JsonObject; readonly at: Place },
): Result<string> | undefined {
  const value = input[field];
  if (typeof value !== "string") return undefined;
  const before = text(args["path"]);
  if (value === absolute(at.root, before)) return ok(before);
  const path = posix.normalize(value.startsWith("/") ? value : `${at.root}/${value}`);
  if (path === at.root) return ok("");
  return path.startsWith(`${at.root}/`)
    ? ok(path.slice(at.root.length + 1))
    : refused(`its ${field} ${JSON.stringify(value)} leads out of the workspace`);
}

/** A field that the tool here does not have would be dropped in silence, and with it what the program meant by it. */
export function only(input: JsonObject, tool: string, fields: readonly string[]): Result<void> {
  const unknown = Object.keys(input).find((key) => !fields.includes(key));
  return unknown === undefined
    ? ok(undefined)
    : refused(`its input for ${tool} has the field ${JSON.stringify(unknown)}, which is not known here`);
}

export function refused(message: string): Result<never> {
  return err(domainError("GATE_DENIED", message));
}
