import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import { claudeNames } from "./tool-names.ts";
import type { ToolShape } from "./tool-shape.ts";
import { shapesOf } from "./tool-shapes.ts";

/** A call of a tool as Claude Code would have shown it, and the way back. */
export interface ShownCall {
  readonly tool_name: string;
  readonly input: JsonObject;
  /** The arguments of Writ for an input that the program changed. */
  apply(args: JsonObject, input: JsonValue): Result<JsonObject>;
}

/** Which names of tools a handler is asked about. */
export interface NameTest {
  /** No name is left out. */
  readonly isEverything: boolean;
  readonly fits: (name: string) => boolean;
}

/** The calls that Claude Code would have made for one of Writ, lazily: each is shown as those before it left the arguments. */
export function callsFor(tool: string, args: JsonObject, names: NameTest): readonly CallShape[] {
  return chosenShapes(tool, args, names).flatMap((shape) =>
    Array.from({ length: shape.count(args) }, (_, index) => ({ shape, index })),
  );
}

export interface CallShape {
  readonly shape: ToolShape;
  readonly index: number;
}

export function showCall({ shape, index }: CallShape, args: JsonObject, root: string): ShownCall {
  return {
    tool_name: shape.name,
    input: shape.show(args, { root, index }),
    apply: (current, input) =>
      isJsonObject(input)
        ? shape.apply(current, input, { root, index })
        : err(domainError("GATE_DENIED", "its updatedInput is no object")),
  };
}

/**
 * A handler for everything is shown the call under its usual name. One for named tools is shown it under each name that it is
 * asked about and that says something else; several names for the same thing count once.
 */
function chosenShapes(tool: string, args: JsonObject, names: NameTest): readonly ToolShape[] {
  const all = shapesOf(tool);
  if (all.length === 0) return [ownShape(claudeNames(tool)[0] ?? tool)];
  // A listing without a pattern is what LS is there for.
  const usual = tool === "fs.list" && args["glob"] === undefined ? all.toReversed() : all;
  const [first] = usual;
  if (names.isEverything) return first ? [first] : [];
  const fitting = usual.filter(({ name }) => names.fits(name));
  // A list of edits is one call of MultiEdit and several of Edit: a program that knows both may look into one of them only.
  if (tool === "fs.edit") {
    const kept = fitting.filter(({ name }) => name === "Edit" || (name === "MultiEdit" && edits(args) > 1));
    if (kept.length > 0) return kept;
  }
  const [fit = first] = fitting;
  return fit ? [fit] : [];
}

function edits({ edits: list }: JsonObject): number {
  return Array.isArray(list) ? list.length : 0;
}

function ownShape(name: string): ToolShape {
  return { name, count: () => 1, show: (args) => args, apply: (_, input) => ok(input) };
}
