import { type Conflict, glimpse } from "../conflict.ts";
import { type LineBreak, withBreaks } from "../lines.ts";
import type { Operation } from "./operation.ts";

export interface TextSpan {
  readonly start: number;
  readonly end: number;
  readonly replace: string;
  /** The text already contains the change. */
  readonly isMade: boolean;
}

/**
 * Finds the current position of a passage: first with its context; if the context has changed, by its text alone if that occurs
 * once, or with one side of the context.
 */
export function locate(text: string, operation: Operation<"text.edit">, lineBreak: LineBreak): TextSpan | Conflict {
  const exact = search(text, operation);
  if (exact !== "none" || lineBreak === "\n") return settled(text, operation, exact);
  const adapted = withDocumentBreaks(operation, lineBreak);
  return settled(text, adapted, search(text, adapted));
}

type Search = { readonly start: number; readonly isMade?: true } | "none" | "several";

function search(text: string, { find, replace, before = "", after = "" }: Operation<"text.edit">): Search {
  const within = once(text, before + find + after);
  if (within === "several") return "several";
  if (within !== "none") return { start: within.start + before.length };
  if (before + after !== "" && replace !== "" && once(text, before + replace + after) !== "none")
    return { start: 0, isMade: true };
  const alone = once(text, find);
  if (alone !== "several") return alone;
  const led = before === "" ? "none" : once(text, before + find);
  const followed = after === "" ? "none" : once(text, find + after);
  if (typeof led === "object" && typeof followed === "object")
    return led.start + before.length === followed.start ? followed : "several";
  if (typeof led === "object") return { start: led.start + before.length };
  return typeof followed === "object" ? followed : "several";
}

function once(text: string, wanted: string): Search {
  const start = text.indexOf(wanted);
  if (start === -1) return "none";
  return text.indexOf(wanted, start + 1) === -1 ? { start } : "several";
}

function settled(text: string, operation: Operation<"text.edit">, found: Search): TextSpan | Conflict {
  const { find, replace, section = null } = operation;
  if (typeof found === "object")
    return { start: found.start, end: found.start + find.length, replace, isMade: found.isMade ?? false };
  if (found === "several")
    return {
      kind: "text_ambiguous",
      section,
      expected: `the passage ${glimpse(find)} once`,
      found: "it more than once",
      remedy: "Give more of the text around it in `before` and `after`.",
    };
  return {
    kind: "text_missing",
    section,
    expected: `the passage ${glimpse(find)}`,
    found: nearest(text, operation),
    remedy: "Somebody changed it meanwhile: read the text as it stands now and make the change again.",
  };
}

/** The text that is now in the passage's place, found by its context. */
function nearest(text: string, { before = "", after = "" }: Operation<"text.edit">): string {
  const start = before === "" ? -1 : text.indexOf(before);
  if (start !== -1) return `${glimpse(text.slice(start + before.length, start + before.length + 200))} in its place`;
  const end = after === "" ? -1 : text.indexOf(after);
  if (end !== -1) return `${glimpse(text.slice(Math.max(0, end - 60), end))} in its place`;
  return "neither it nor the text around it";
}

function withDocumentBreaks(operation: Operation<"text.edit">, lineBreak: LineBreak): Operation<"text.edit"> {
  const { before, after } = operation;
  return {
    ...operation,
    find: withBreaks(operation.find, lineBreak),
    replace: withBreaks(operation.replace, lineBreak),
    ...(before === undefined ? {} : { before: withBreaks(before, lineBreak) }),
    ...(after === undefined ? {} : { after: withBreaks(after, lineBreak) }),
  };
}
