/**
 * A chat of Writ behind a fetch-compatible handler, for Next, Hono, Fastify and everything that takes a Request and gives a Response. It
 * speaks the AI SDK's stream of UI messages, so `useChat` and what else reads that talks to it as it is.
 */
import { isJsonObject, type JsonObject } from "#core/values";
import type { FlowResult, OrderWords } from "#work";
import type { AttachedFile } from "../work/orders/attachments.ts";
import type { SentMessage, Thread } from "../work/threads/threads.ts";
import { type UiChunk, UiMessage } from "./ui-messages.ts";
import type { Workspace } from "./workspace.ts";

export interface ChatOptions {
  /** What every message may do. */
  readonly order?: OrderWords;
  /** Who asks: a chat goes on only for the user with whom it began. Undefined refuses (401); without it everybody is one user. */
  readonly user?: (request: Request) => string | undefined | Promise<string | undefined>;
  /** The largest body that is read. */
  readonly maxBytes?: number;
}

const mostBytes = 8 * 2 ** 20;

/** A handler for POST requests of the AI SDK's chat transport. What the client keeps of earlier answers says which thread goes on. */
export function chatHandler(
  writ: Pick<Workspace, "thread" | "threads" | "keyedHash">,
  { order = {}, user, maxBytes = mostBytes }: ChatOptions = {},
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== "POST") return refusal(405, "METHOD_NOT_ALLOWED", "a message is sent with POST");
    const who = user ? await user(request) : "";
    if (who === undefined) return refusal(401, "NOT_AUTHENTICATED", "nobody was recognised in this request");
    const read = await bodyOf(request, maxBytes);
    if (read === "too large") return refusal(413, "TOO_LARGE", `a message has at most ${maxBytes} bytes`);
    const asked = read === undefined ? undefined : promptOf(read);
    if (!asked)
      return refusal(400, "MALFORMED_INPUT", "the body is no chat of the AI SDK whose last message is a user's");
    const proofOf = (thread_id: string) => writ.keyedHash(`chat\n${who}\n${thread_id}`);
    const { known } = asked;
    let thread: Thread = writ.thread({ order });
    if (known) {
      // Another user's thread, or one that was never handed out: a client that made it up learns nothing of what there is.
      if (known.proof !== proofOf(known.thread_id)) return refusal(404, "NOT_FOUND", "there is no such chat");
      const opened = await writ.threads.open(known.thread_id, order);
      if (!opened.ok) return refusal(404, opened.error.code, opened.error.message);
      thread = opened.value;
    }
    const { thread_id } = thread;
    return streamed(request, thread, asked, { thread_id, proof: proofOf(thread_id) });
  };
}

/** The stop button of a client ends its request, and with it the order. */
function streamed(request: Request, thread: Thread, { text, attachments }: Asked, place: JsonObject): Response {
  const message = new UiMessage();
  const sent = thread.send(text, { attachments, signal: request.signal, onEvent: (event) => message.see(event) });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const put = (chunk: UiChunk | "[DONE]") =>
        controller.enqueue(encoder.encode(`data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`));
      try {
        for await (const chunk of chunksOf(sent, message, place)) put(chunk);
        put("[DONE]");
        controller.close();
      } catch (thrown) {
        controller.error(thrown); // the client has gone, or Writ itself is broken: the connection says so
      }
    },
    cancel: () => sent.abort(),
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-vercel-ai-ui-message-stream": "v1",
      "x-accel-buffering": "no",
    },
  });
}

async function* chunksOf(sent: SentMessage, message: UiMessage, place: JsonObject): AsyncGenerator<UiChunk> {
  yield { type: "start", messageMetadata: { writ: place } };
  for await (const part of sent.stream()) yield* message.chunksOf(part);
  yield* message.end();
  const result = await sent.result;
  const { status, session_id } = result;
  yield { type: "message-metadata", messageMetadata: { writ: { ...place, status, session_id: session_id ?? null } } };
  const why = whyFailed(result);
  if (why !== undefined) yield { type: "error", errorText: why };
  yield { type: "finish", finishReason: why === undefined ? (status === "success" ? "stop" : "other") : "error" };
}

/** What is partly done or waits for a person has said so in its answer. */
function whyFailed({ status, error, error_code }: FlowResult): string | undefined {
  if (status === "success" || status === "waiting" || status === "partial") return undefined;
  return [error_code, error].filter((each) => typeof each === "string" && each !== "").join(": ") || status;
}

/** What a client sent, before anything of it is believed. */
type Unread = Readonly<Record<string, unknown>>;

interface Asked {
  readonly text: string;
  readonly attachments: readonly AttachedFile[];
  /** The thread of the answers so far, as this handler named it. */
  readonly known: { readonly thread_id: string; readonly proof: string } | undefined;
}

function promptOf({ messages }: Unread): Asked | undefined {
  if (!Array.isArray(messages)) return undefined;
  const last = messages.at(-1);
  if (!isJsonObject(last) || last["role"] !== "user" || !Array.isArray(last["parts"])) return undefined;
  const parts = last["parts"].filter(isJsonObject);
  const text = parts.flatMap((part) => (part["type"] === "text" ? [String(part["text"])] : [])).join("\n\n");
  const files = parts.filter((part) => part["type"] === "file").map(fileOf);
  if (files.includes(undefined) || (text.trim() === "" && files.length === 0)) return undefined;
  const attachments = files.filter((file) => file !== undefined);
  return { text, attachments, known: messages.map(placeIn).findLast((place) => place !== undefined) };
}

/** A file as the SDK's client sends it: with its bytes, in a data URL. One that would have to be fetched is refused. */
function fileOf({ url, filename }: Unread): AttachedFile | undefined {
  const [, data] = typeof url === "string" ? (/^data:[^,]*;base64,([A-Za-z0-9+/=_-]*)$/.exec(url) ?? []) : [];
  if (data === undefined) return undefined;
  return {
    name: typeof filename === "string" && filename !== "" ? filename : "file",
    bytes: Buffer.from(data, "base64"),
  };
}

function placeIn(message: unknown): Asked["known"] {
  if (!isJsonObject(message) || message["role"] !== "assistant") return undefined;
  const writ = isJsonObject(message["metadata"]) ? message["metadata"]["writ"] : undefined;
  if (!isJsonObject(writ)) return undefined;
  const { thread_id, proof } = writ;
  return typeof thread_id === "string" && typeof proof === "string" ? { thread_id, proof } : undefined;
}

/** Read piece by piece, so that a body without an honest length is not held as a whole. */
async function bodyOf(request: Request, maxBytes: number): Promise<Unread | "too large" | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return "too large";
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of request.body ?? []) {
      bytes += piece.length;
      if (bytes > maxBytes) return "too large";
      pieces.push(piece);
    }
    const document: unknown = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    return isJsonObject(document) ? document : undefined;
  } catch {
    return undefined; // cut off, or no JSON: the refusal says what was expected
  }
}

function refusal(status: number, code: string, detail: string): Response {
  return new Response(JSON.stringify({ status, code, detail }), {
    status,
    headers: { "content-type": "application/problem+json" },
  });
}
