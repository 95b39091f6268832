import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenBytes {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

type Behaviour = (seen: SeenBytes, response: ServerResponse) => void;

/** A model behind HTTP on loopback that answers as it is told, in bytes, and keeps the bytes that it was sent. */
export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: SeenBytes[];
  /** The next answers; the last one goes on. */
  will(...behaviours: readonly Behaviour[]): void;
}

export async function modelServer(): Promise<ModelServer> {
  const seen: SeenBytes[] = [];
  let arranged: Behaviour[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const asked = { path: request.url ?? "", headers: request.headers, text: Buffer.concat(chunks).toString("utf8") };
      seen.push(asked);
      const [next, ...rest] = arranged;
      if (rest.length > 0) arranged = rest;
      if (next) next(asked, response);
      else response.writeHead(500).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    will: (...behaviours) => void (arranged = [...behaviours]),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A stream as it is, in pieces of so many bytes. */
export function streams(text: string, piece = text.length): Behaviour {
  return (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "request-id": "req_1" });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += piece) response.write(bytes.subarray(at, at + piece));
    response.end();
  };
}

export function answers(document: unknown, status = 200): Behaviour {
  return (_, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof document === "string" ? document : JSON.stringify(document));
  };
}

/** Part of a stream, and then nothing more. */
export function hangsAfter(text: string): Behaviour {
  return (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(text);
  };
}

export function breaksAfter(text: string): Behaviour {
  return (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(text, () => response.destroy());
  };
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

export interface Script {
  readonly text?: string;
  readonly calls?: readonly Call[];
  readonly finish?: string;
  readonly usage?: { readonly input: number; readonly output: number };
}

const event = (document: { readonly type: string }) => `event: ${document.type}\ndata: ${JSON.stringify(document)}\n\n`;

/** A streamed answer of Messages, written here and by no vendor. */
export function messagesStream({ text = "", calls = [], finish, usage = { input: 100, output: 20 } }: Script): string {
  const blocks = [
    ...(text === ""
      ? []
      : [
          {
            start: { type: "text", text: "" },
            deltas: cut(text).map((piece) => ({ type: "text_delta", text: piece })),
          },
        ]),
    ...calls.map(({ id, name, args }) => ({
      start: { type: "tool_use", id, name, input: {} },
      deltas: cut(JSON.stringify(args)).map((partial_json) => ({ type: "input_json_delta", partial_json })),
    })),
  ];
  return [
    event({
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-test",
        content: [],
        usage: { input_tokens: usage.input, output_tokens: 1 },
      },
    } as never),
    event({ type: "ping" }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      event({ type: "content_block_start", index, content_block: start } as never),
      ...deltas.map((delta) => event({ type: "content_block_delta", index, delta } as never)),
      event({ type: "content_block_stop", index } as never),
    ]),
    event({
      type: "message_delta",
      delta: { stop_reason: finish ?? (calls.length > 0 ? "tool_use" : "end_turn"), stop_sequence: null },
      usage: { output_tokens: usage.output },
    } as never),
    event({ type: "message_stop" }),
  ].join("");
}

/** The same for Chat Completions, with the report of usage that was asked for. */
export function chatStream({ text = "", calls = [], finish, usage = { input: 100, output: 20 } }: Script): string {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "gpt-test", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  return [
    chunk({ role: "assistant", content: "" }),
    ...cut(text).map((content) => chunk({ content })),
    ...calls.flatMap(({ id, name, args }, index) => [
      chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
      ...cut(JSON.stringify(args)).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk({}, finish ?? (calls.length > 0 ? "tool_calls" : "stop")),
    `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "gpt-test", choices: [], usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output } })}\n\n`,
    "data: [DONE]\n\n",
  ].join("");
}

function cut(text: string): readonly string[] {
  return text.match(/.{1,7}/gsu) ?? [];
}
