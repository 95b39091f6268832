/** A change whose request contains the text to write, so that a script without a model can make it. */
export type LiteralEdit =
  | { readonly kind: "replace"; readonly find: string; readonly put: string }
  | { readonly kind: "rename"; readonly find: string; readonly put: string }
  | { readonly kind: "append"; readonly line: string }
  | { readonly kind: "create"; readonly text: string };

const quoted = "(?:\"([^\"\\n]+)\"|'([^'\\n]+)'|`([^`\\n]+)`|“([^”\\n]+)”)";
const replacing = new RegExp(`\\b(?:replace|change|rename)\\s+${quoted}\\s+(?:with|by|to|into)\\s+${quoted}`, "giu");
const renaming = /\brename\s+([\w$]+)\s+to\s+([\w$]+)/giu;
const appending = new RegExp(`\\b(?:add|append)\\s+(?:the\\s+line\\s+|a\\s+line\\s+)?${quoted}\\s+to\\b`, "giu");
const creating = new RegExp(
  `\\b(?:create|write)\\s+(?:the\\s+file\\s+)?\\S+\\s+(?:with|saying|holding)\\s+${quoted}`,
  "giu",
);

/** The literal edits in a request, in their order; empty where the request needs a model. */
export function literalEdits(request: string): readonly LiteralEdit[] {
  const said = (match: RegExpMatchArray, from: number): string =>
    match.slice(from, from + 4).find((text) => text !== undefined) ?? "";
  const found: { readonly at: number; readonly edit: LiteralEdit }[] = [
    ...[...request.matchAll(replacing)].map((match) => ({
      at: match.index,
      edit: { kind: "replace" as const, find: said(match, 1), put: said(match, 5) },
    })),
    ...[...request.matchAll(renaming)].map((match) => ({
      at: match.index,
      edit: { kind: "rename" as const, find: match[1] ?? "", put: match[2] ?? "" },
    })),
    ...[...request.matchAll(appending)].map((match) => ({
      at: match.index,
      edit: { kind: "append" as const, line: said(match, 1) },
    })),
    ...[...request.matchAll(creating)].map((match) => ({
      at: match.index,
      edit: { kind: "create" as const, text: said(match, 1) },
    })),
  ];
  return found.sort((one, other) => one.at - other.at).map(({ edit }) => edit);
}

export interface EditedFile {
  readonly content: string;
  /** Descriptions of the edits that could not be applied. */
  readonly undone: readonly string[];
}

/** `before` is undefined for a file that does not exist yet. */
export function applyLiteralEdits(before: string | undefined, edits: readonly LiteralEdit[]): EditedFile {
  let content = before ?? "";
  const undone: string[] = [];
  for (const edit of edits)
    switch (edit.kind) {
      case "replace":
        if (content.includes(edit.find)) content = content.replaceAll(edit.find, () => edit.put);
        else undone.push(`"${edit.find}" does not stand in it`);
        break;
      case "rename":
        if (nameOf(edit.find).test(content)) content = content.replaceAll(nameOf(edit.find), () => edit.put);
        else undone.push(`the name ${edit.find} does not stand in it`);
        break;
      case "append":
        content = `${content}${content === "" || content.endsWith("\n") ? "" : "\n"}${edit.line}\n`;
        break;
      case "create":
        if (before === undefined) content = `${edit.text}\n`;
        else undone.push("it exists already, and creating it would throw away what it holds");
        break;
    }
  return { content, undone };
}

/** Matches a whole name, not a part of a longer one nor of a path such as "./name.ts". */
function nameOf(name: string): RegExp {
  const escaped = name.replaceAll("$", "\\$");
  return new RegExp(`(?<![\\w$/-])${escaped}(?![\\w$/-]|\\.\\w+["'\`])`, "gu");
}

/** Which edit is missing in a file; undefined when all are there. */
export function editMissing(content: string, edits: readonly LiteralEdit[]): string | undefined {
  for (const edit of edits) {
    if (edit.kind === "replace") {
      if (!content.includes(edit.put)) return `it does not hold "${edit.put}"`;
      if (!edit.put.includes(edit.find) && content.includes(edit.find)) return `it still holds "${edit.find}"`;
    } else if (edit.kind === "rename") {
      if (nameOf(edit.find).test(content)) return `it still holds the name ${edit.find}`;
      if (!nameOf(edit.put).test(content)) return `it does not hold the name ${edit.put}`;
    } else {
      const wanted = edit.kind === "append" ? edit.line : edit.text;
      if (!content.split("\n").includes(wanted)) return `it does not hold the line "${wanted}"`;
    }
  }
  return undefined;
}
