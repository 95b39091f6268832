import type { JsonObject } from "#core/values";
import type { OpenedValue, SealOrigin } from "#log/redaction";
import type { ToolCall, ToolDef, ToolScope } from "./tool.ts";

/** A sealed value that nothing grants to a call: a person has to allow it. */
export interface Ungranted {
  readonly value: OpenedValue;
  /** Where it is from, in words. */
  readonly from: string;
}

/**
 * Which sealed values a call may not have without being granted them. Without a grant a value goes back to where it came
 * from and nowhere else, so that a model that follows planted instructions cannot carry it to a place of its choosing:
 *
 *     written by the model in this very call ──► the call has it
 *     read from a file ──► a built-in tool that writes that file and touches nothing else has it
 *     of the order ──► the one call that the order itself makes has it
 *     anything else ──► `tool_permissions[].opens` of the order names it, or a person allows it
 */
export function ungranted(
  call: ToolCall,
  tool: ToolDef,
  { args, opened }: { readonly args: JsonObject; readonly opened: readonly OpenedValue[] },
  { mandate }: ToolScope,
): readonly Ungranted[] {
  if (opened.length === 0) return [];
  const writes = writtenAlone(tool, args);
  return opened
    .filter(({ kind, origin }) => kind !== "literal" && !goesBack(origin, call, writes))
    .filter(({ origin }) => !mandate.decide({ kind: "open", tool: tool.name, from: sourceOf(origin) }).allowed)
    .map((value) => ({ value, from: placeOf(value.origin) }));
}

function goesBack(origin: SealOrigin, call: ToolCall, writes: string | undefined): boolean {
  switch (origin.from) {
    case "call":
      return origin.call_id === call.id && origin.tool === call.name;
    case "result":
      return origin.path !== undefined && origin.path === writes;
    case "order":
      return call.from === "order";
    case "model":
      return false;
  }
}

/** The one file that a call of a built-in tool writes, where it does nothing else. */
export function writtenAlone(tool: ToolDef, args: JsonObject): string | undefined {
  if (tool.origin !== "builtin") return undefined;
  const acts = tool.acts?.(args) ?? [];
  const paths = new Set(acts.map((act) => ("path" in act ? act.path : "")));
  const [path] = paths;
  return paths.size === 1 && acts.some(({ kind }) => kind === "write") && path !== "" ? path : undefined;
}

/** How grants name an origin: `file:config/app.env`, `tool:github.get_token`, `call:fs.write`, `order`. */
export function sourceOf(origin: SealOrigin): string {
  switch (origin.from) {
    case "order":
      return "order";
    case "model":
      return "model";
    case "call":
      return `call:${origin.tool}`;
    case "result":
      return origin.path === undefined ? `tool:${origin.tool}` : `file:${origin.path}`;
  }
}

function placeOf(origin: SealOrigin): string {
  switch (origin.from) {
    case "order":
      return "from the work order";
    case "model":
      return "from what the model's provider keeps for itself";
    case "call":
      return `from an earlier call of ${origin.tool}`;
    case "result":
      return origin.path === undefined ? `from a result of ${origin.tool}` : `from the file ${origin.path}`;
  }
}

/** Why a person is asked: that sealed values are there, of what kind, and from where. */
export function reasonToAsk(tool: string, values: readonly Ungranted[]): string {
  const named = values.map(({ value, from }) => `${value.kind} ${from} (${value.handle})`);
  const shown = named.length > 8 ? [...named.slice(0, 8), `${named.length - 8} more`] : named;
  const what = values.length === 1 ? "a sealed value" : `${values.length} sealed values`;
  return `"${tool}" would be given ${what}: ${shown.join(", ")}`;
}

/** The way out, for a message. */
export function grantFor(tool: string, values: readonly Ungranted[]): string {
  const sources = [...new Set(values.map(({ value }) => sourceOf(value.origin)))].slice(0, 8);
  return `grant it in the order: tool_permissions: [{ tool: ${tool}, opens: ${JSON.stringify(sources)} }], or let a person approve the call`;
}
