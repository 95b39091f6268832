export interface Message {
  readonly event: string;
  readonly id: string;
  readonly data: unknown;
}

/** The messages of a server-sent stream, as they come. */
export async function* messages(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Message> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    held += value;
    // A long message comes in many pieces: it is looked through when its end is there, not at each of them.
    if (!value.includes("\n\n") && !(value.startsWith("\n") && held.endsWith(`\n${value}`))) continue;
    const blocks = held.split("\n\n");
    held = blocks.pop() ?? "";
    for (const block of blocks) {
      const message = parseBlock(block);
      if (message) yield message;
    }
  }
}

function parseBlock(block: string): Message | undefined {
  const fields = { event: "message", id: "", data: "" };
  for (const line of block.split("\n")) {
    const [, name, value] = /^(event|id|data): ?(.*)$/.exec(line) ?? [];
    if (name === "data") fields.data += (fields.data ? "\n" : "") + value;
    else if (name === "event" || name === "id") fields[name] = value ?? "";
  }
  return fields.data ? { event: fields.event, id: fields.id, data: JSON.parse(fields.data) } : undefined;
}
