import type { Clock } from "#core/values";
import type { WireApi } from "../../provider-kind.ts";
import { type Mend, mendText } from "./mend-body.ts";

/** Observes one exchange with a server: what was sent, what came back, and whether the server fell silent or never ended. */
export interface Wire {
  readonly fetch: typeof globalThis.fetch;
  /** unsent: no byte of the request left. sent: it may have been acted upon. answering: a good status came back. */
  readonly stage: "unsent" | "sent" | "answering";
  readonly fault: "stalled" | "flooded" | undefined;
  /** Whether a request was attempted. */
  readonly isTried: boolean;
  /** Whether a web page came with a good status: of a proxy, or of a network that wants a login first. */
  readonly isPage: boolean;
  /** Whether the last event of a stream was seen, by the word that this interface ends with. */
  hasEnded(api: WireApi): boolean;
  close(): void;
}

/** Changes to what goes out and to what comes in. */
export interface WireShapes {
  readonly outgoing: (body: string) => string;
  readonly incoming: Mend | undefined;
}

const unchanged: WireShapes = { outgoing: (body) => body, incoming: undefined };

/** The end of a stream in the words of those that end one with a word of its own. */
const lastWords = /data:\s*\[DONE\]|"type"\s*:\s*"(?:message_stop|response\.completed|response\.incomplete)"/;
const keptTail = 4_096;

export interface WireLimits {
  /** How long a body that has begun may be silent. Keep-alive lines of the server count as activity. */
  readonly idleMs: number;
  /** Size limit of one answer. */
  readonly maxBytes: number;
}

/** Error codes that mean that no connection was made, or none that was trusted, so that nothing can have been sent. */
const neverConnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ETIMEDOUT|EPROTO|UND_ERR_CONNECT_TIMEOUT|ERR_INVALID_URL|ERR_SSL_.*|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/;

export function openWire(
  clock: Clock,
  limits: WireLimits,
  controller: AbortController,
  shapes: WireShapes = unchanged,
): Wire {
  let stage: Wire["stage"] = "unsent";
  let fault: Wire["fault"];
  let isTried = false;
  let isPage = false;
  let received = 0;
  let tail = "";
  let cancelTimer: (() => void) | undefined;

  const rest = () => {
    cancelTimer?.();
    cancelTimer = undefined;
  };
  let body: TransformStreamDefaultController<Uint8Array> | undefined;
  const fail = (why: NonNullable<Wire["fault"]>) => {
    rest();
    fault ??= why;
    body?.error(new Error(why)); // a reader that does not look at the signal fails here
    controller.abort();
  };
  const alive = () => {
    rest();
    cancelTimer = clock.after(limits.idleMs, () => fail("stalled"));
  };
  const watch = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      start: (out) => void (body = out),
      transform(chunk, out) {
        received += chunk.byteLength;
        if (received > limits.maxBytes) return fail("flooded");
        alive();
        tail = (tail + Buffer.from(chunk.subarray(-keptTail)).toString("latin1")).slice(-keptTail);
        out.enqueue(chunk);
      },
      flush: rest,
    });

  return {
    get stage() {
      return stage;
    },
    get fault() {
      return fault;
    },
    get isTried() {
      return isTried;
    },
    get isPage() {
      return isPage;
    },
    hasEnded: () => lastWords.test(tail),
    close: rest,
    fetch: async (input, init) => {
      isTried = true;
      stage = "sent";
      let response: Response;
      try {
        // Not followed: a redirect would carry the key's header to wherever the server points.
        const body = typeof init?.body === "string" ? { body: shapes.outgoing(init.body) } : {};
        response = await globalThis.fetch(input, { ...init, ...body, redirect: "manual" });
      } catch (thrown) {
        if (neverConnected.test(codeOf(thrown) ?? "")) stage = "unsent";
        throw thrown;
      }
      if (response.ok) stage = "answering";
      isPage = response.ok && /^text\/html\b/i.test(response.headers.get("content-type") ?? "");
      if (isPage) {
        await response.body?.cancel();
        throw new Error("a web page came instead of an answer"); // each package would read something else into it
      }
      if (!response.body) return response;
      alive();
      const { status, statusText, headers } = response;
      const watched = response.body.pipeThrough(watch());
      const body = shapes.incoming && response.ok ? mended(watched, headers, shapes.incoming) : watched;
      return new Response(body, { status, statusText, headers });
    },
  };
}

/** A stream's events one by one, a document as a whole. */
function mended(body: ReadableStream<Uint8Array>, headers: Headers, mend: Mend): ReadableStream<Uint8Array> {
  const isStream = headers.get("content-type")?.includes("event-stream") ?? false;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        rest += decoder.decode(chunk, { stream: true });
        if (!isStream) return;
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        if (lines.length > 0) out.enqueue(encoder.encode(lines.map((line) => `${mendLine(line, mend)}\n`).join("")));
      },
      flush(out) {
        rest += decoder.decode();
        if (rest !== "") out.enqueue(encoder.encode(isStream ? mendLine(rest, mend) : mendText(rest, mend)));
      },
    }),
  );
}

function mendLine(line: string, mend: Mend): string {
  if (!line.startsWith("data:")) return line;
  const data = line.slice("data:".length).trim();
  if (data !== "[DONE]") return `data: ${mendText(data, mend)}`;
  const missing = mend.atEnd();
  return missing ? `data: ${JSON.stringify(missing)}\n\n${line}` : line;
}

/** Network failures come wrapped; the code is on the innermost of the few layers. */
export function codeOf(thrown: unknown): string | undefined {
  let at = thrown;
  for (let depth = 0; depth < 5 && typeof at === "object" && at !== null; depth++) {
    if ("code" in at && typeof at.code === "string") return at.code;
    if ("errors" in at && Array.isArray(at.errors) && at.errors.length > 0) at = at.errors[0];
    else at = "cause" in at ? at.cause : undefined;
  }
  return undefined;
}
