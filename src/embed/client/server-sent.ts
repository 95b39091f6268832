/** One message of a server-sent stream. */
export interface SentFrame {
  readonly event: string;
  /** Empty where the message cannot be resumed after. */
  readonly id: string;
  readonly data: unknown;
}

/** The messages of a server-sent stream, as they come. Lines may end in LF, CRLF or CR; comments keep the connection alive. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<SentFrame> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let held = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      held += decoder.decode(value, { stream: true }).replaceAll(/\r\n?/g, "\n");
      const blocks = held.split("\n\n");
      held = blocks.pop() ?? "";
      for (const block of blocks) {
        const frame = frameOf(block);
        if (frame) yield frame;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // the connection is gone already
  }
}

function frameOf(block: string): SentFrame | undefined {
  const found = { event: "message", id: "" };
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^(event|id|data)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === "data") data.push(value);
    else if (name === "event" || name === "id") found[name] = value;
  }
  return data.length === 0 ? undefined : { ...found, data: JSON.parse(data.join("\n")) };
}
