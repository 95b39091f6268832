import type { Output } from "./context.ts";

/** Texts are written in pieces of about this length: one for each item would be slow, and all in one may be longer than a text can be. */
const pieceLength = 64 * 1024;

/**
 * Writes a value as `JSON.stringify(value, null, 2)` would, in pieces. An object's member may be an async iterable: it becomes
 * an array whose items are written as they come, so that a document may be larger than memory.
 */
export async function writeJson(value: unknown, output: Pick<Output, "write" | "drained">): Promise<void> {
  let piece = "";
  const put = (text: string): Promise<void> | undefined => {
    piece += text;
    if (piece.length < pieceLength) return undefined;
    output.write(piece);
    piece = "";
    return output.drained?.();
  };
  if (isPlainObject(value)) await putObject(value, put);
  else await put(textOf(value, ""));
  output.write(`${piece}\n`);
}

/** Whether it has a member that is read as it is written. */
export function isStreamed(value: unknown): boolean {
  return isPlainObject(value) && Object.values(value).some(isAsyncIterable);
}

type Put = (text: string) => Promise<void> | undefined;

async function putObject(value: Readonly<Record<string, unknown>>, put: Put): Promise<void> {
  let separator = "{\n  ";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    await put(`${separator}${JSON.stringify(name)}: `);
    separator = ",\n  ";
    if (isAsyncIterable(member) || Array.isArray(member)) await putItems(member, put);
    else await put(textOf(member, "  "));
  }
  await put(separator.startsWith("{") ? "{}" : "\n}");
}

async function putItems(items: AsyncIterable<unknown> | readonly unknown[], put: Put): Promise<void> {
  let separator = "[\n    ";
  for await (const item of items) {
    await put(`${separator}${textOf(item, "    ")}`);
    separator = ",\n    ";
  }
  await put(separator.startsWith("[") ? "[]" : "\n  ]");
}

/** No string of JSON has a line break in it, so every one of them begins a line. */
function textOf(value: unknown, indent: string): string {
  return (JSON.stringify(value, null, 2) ?? "null").replaceAll("\n", `\n${indent}`);
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : undefined;
  return prototype === Object.prototype && !("toJSON" in (value as object));
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
