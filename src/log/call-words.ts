import { nameInLine, oneLine } from "#core/terminal";
import { isJsonObject } from "#core/values";

/** A call on one line. The path comes first, where there is one: a line is cut at its end. */
export function callText(name: string, args: unknown): string {
  const ordered = isJsonObject(args) && "path" in args ? { path: args["path"], ...args } : args;
  return `${nameInLine(name)} ${oneLine(JSON.stringify(ordered) ?? "")}`.trimEnd();
}

/** What a tool gave in words, where it has some: its text, the texts of an MCP server's parts, the file it wrote, what failed. */
export function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (isJsonObject(content)) {
    for (const key of ["text", "content", "output"]) if (typeof content[key] === "string") return content[key];
    const { error, content: parts, path, created } = content;
    if (typeof path === "string" && typeof created === "boolean") return `${created ? "made" : "wrote"} ${path}`;
    if (isJsonObject(error) && typeof error["message"] === "string")
      return [error["code"], error["message"]].filter((part) => typeof part === "string").join(": ");
    if (Array.isArray(parts) && parts.length > 0 && parts.every(isTextPart))
      return parts.map(({ text }) => text).join(" ");
  }
  return JSON.stringify(content) ?? "";
}

function isTextPart(part: unknown): part is { readonly text: string } {
  return isJsonObject(part) && part["type"] === "text" && typeof part["text"] === "string";
}
