import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicFormat } from "./anthropic.ts";
import { googleFormat } from "./google.ts";
import { openaiFormat } from "./openai.ts";
import { openaiResponsesFormat } from "./openai-responses.ts";
import type { Said, WireFormat } from "./wire-format.ts";

export type VendorName = "anthropic" | "openai" | "google" | "openai-compatible";

export const wireFormats: Readonly<Record<VendorName, WireFormat>> = {
  anthropic: anthropicFormat,
  openai: openaiResponsesFormat,
  google: googleFormat,
  "openai-compatible": openaiFormat,
};

/** What the server does with one request. */
export type Behaviour =
  | Said
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly message?: string;
      readonly type?: string;
      readonly raw?: string;
    }
  /** Half of the frames, then an end: a clean one, a broken connection, silence, or only signs of life. */
  | { readonly half: Said; readonly then: "end" | "reset" | "silence" | "keep-alive" }
  /** All frames but the last, the usage among them where the vendor sends it before, then a broken connection. */
  | { readonly cutAfter: Said }
  /** The frame of the usage twice: first with these figures, as servers that count on do, then with the right ones. */
  | { readonly twice: Said; readonly first: { readonly input: number; readonly output: number } }
  | { readonly drip: Said; readonly everyMs: number }
  | { readonly errorAfter: Said; readonly message: string; readonly type: string }
  | { readonly bytes: string }
  | { readonly flood: true }
  | { readonly nothing: "reset" | "silence" };

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}

/** A behaviour, or what decides it once the request is there. */
type Arranged = Behaviour | ((request: SeenRequest) => Behaviour | Promise<Behaviour>);

export interface FakeVendor extends AsyncDisposable {
  readonly baseUrl: string;
  readonly requests: readonly SeenRequest[];
  /** Behaviours of the next requests, in order; the last one goes on. */
  will(...behaviours: readonly Arranged[]): void;
  /** Resolves once so many requests have come. */
  seen(count: number): Promise<void>;
  /** Requests whose connection is still open. */
  readonly open: number;
}

/** A server on this machine that speaks a vendor's wire format. */
export async function fakeVendor(name: VendorName): Promise<FakeVendor> {
  let format = wireFormats[name];
  const requests: SeenRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let queue: Arranged[] = [{ status: 500, message: "nothing was arranged" }];
  let open = 0;

  const server = createServer((request, response) => {
    open += 1;
    response.on("close", () => (open -= 1));
    void (async () => {
      const body = await bodyOf(request);
      const path = request.url ?? "";
      const seen: SeenRequest = { method: request.method ?? "", path, headers: request.headers, body };
      requests.push(seen);
      if (name === "openai") format = path.endsWith("/responses") ? openaiResponsesFormat : openaiFormat;
      for (const each of waiting) if (requests.length >= each.count) each.resolve();
      const next = queue.length > 1 ? queue.shift() : queue[0];
      const behaviour = typeof next === "function" ? await next(seen) : next;
      if (behaviour) behave(behaviour, response, format.isStream(path, body));
    })();
  });

  const later = (ms: number, act: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, ms);
    timers.add(timer);
  };

  const behave = (behaviour: Behaviour, response: ServerResponse, isStream: boolean): void => {
    if ("status" in behaviour) {
      const { status, headers, message = "no", type, raw } = behaviour;
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(raw ?? JSON.stringify(format.error(status, message, type)));
    } else if ("bytes" in behaviour) {
      response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
      response.end(behaviour.bytes);
    } else if ("nothing" in behaviour) {
      if (behaviour.nothing === "reset") response.socket?.resetAndDestroy();
    } else if ("flood" in behaviour) {
      response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
      const block = `: ${"x".repeat(1024 * 1024)}\n`;
      const pour = () => {
        while (!response.destroyed && response.write(block));
        if (!response.destroyed) response.once("drain", pour);
      };
      pour();
    } else if ("cutAfter" in behaviour) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(format.frames(behaviour.cutAfter).slice(0, -1).join(""), () => response.socket?.resetAndDestroy());
    } else if ("twice" in behaviour) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const [early, frames] = [behaviour.first, undefined].map((usage) =>
        format.frames({ ...behaviour.twice, ...(usage ? { usage } : {}) }),
      );
      response.end(
        (frames ?? []).flatMap((each, index) => (each === early?.[index] ? [each] : [early?.[index], each])).join(""),
      );
    } else if ("half" in behaviour) sendHalf(behaviour.half, behaviour.then, response, isStream);
    else if ("drip" in behaviour) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const frames = [...format.frames(behaviour.drip)];
      const drop = () => {
        const next = frames.shift();
        if (next === undefined) return void response.end();
        response.write(next);
        later(behaviour.everyMs, drop);
      };
      drop();
    } else if ("errorAfter" in behaviour) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const frames = format.frames(behaviour.errorAfter);
      const fault = format.error(529, behaviour.message, behaviour.type);
      response.end(
        frames.slice(0, Math.ceil(frames.length / 2)).join("") + `event: error\ndata: ${JSON.stringify(fault)}\n\n`,
      );
    } else if (isStream) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(format.frames(behaviour).join(""));
    } else {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(format.document(behaviour)));
    }
  };

  const sendHalf = (said: Said, then: string, response: ServerResponse, isStream: boolean) => {
    const frames = format.frames(said);
    const document = JSON.stringify(format.document(said));
    const half = isStream
      ? frames.slice(0, Math.ceil(frames.length / 2)).join("")
      : document.slice(0, document.length / 2);
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.write(half, () => {
      if (then === "end") response.end();
      else if (then === "reset") response.socket?.resetAndDestroy();
      else if (then === "keep-alive") {
        const sign = () => {
          if (response.destroyed) return;
          response.write(format.keepAlive);
          later(5, sign);
        };
        sign();
      }
    });
  };

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    will: (...behaviours) => void (queue = [...behaviours]),
    seen: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push({ count, resolve });
          }),
    get open() {
      return open;
    },
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}
