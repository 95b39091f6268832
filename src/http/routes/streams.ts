import { ok, type Result } from "#base";
import { integer } from "../read-query.ts";
import type { Call, Route } from "../route.ts";
import type { Services } from "../services.ts";
import { frame, problemFrame } from "../stream/frames.ts";
import { followWorkspace } from "../stream/workspace-feed.ts";
import { badResumeId, sessionOf } from "./sessions.ts";

const stream = "text/event-stream";

/** How a stream says that nothing more will come. */
export const theEnd = "then `end`, or `error` with a code and whether it is retryable.";

/** What every stream that numbers its frames reads. */
export const resuming = {
  "Last-Event-ID": {
    description: "The last `id` that was seen: the stream goes on after it.",
    pattern: "^[0-9]{1,15}$",
  },
};

/** What happens, as it happens. */
export function streamRoutes(services: Services): readonly Route[] {
  const { feeds, texts, runtime } = services;
  const after = { type: "integer" as const, description: "Resume after this number; `Last-Event-ID` does the same." };
  return [
    {
      method: "GET",
      path: "/api/v1/sessions/:session_id/stream",
      tag: "streams",
      summary: "The events of a session, past ones first, then as they become durable",
      right: "read",
      query: { after },
      headers: resuming,
      answer: {
        status: 200,
        description: `Server-sent events \`event\`, whose \`id\` is the seq; ${theEnd}`,
        mediaType: stream,
      },
      async handle(call) {
        const id = sessionOf(call.params);
        if (!id.ok) return id;
        const from = resumeAfter(call);
        if (!from.ok) return from;
        const there = await runtime.log.locate(id.value);
        if (!there.ok) return there;
        return ok({
          kind: "stream",
          frames: ending(feeds.after(id.value, from.value, call.signal), call.signal, services),
        });
      },
    },
    {
      method: "GET",
      path: "/api/v1/sessions/:session_id/text",
      tag: "streams",
      summary: "What the models of a running session say, while they say it",
      right: "read",
      query: { after },
      headers: resuming,
      answer: {
        status: 200,
        description: `Server-sent events \`text\`, numbered by \`id\`; ${theEnd}`,
        mediaType: stream,
      },
      async handle(call) {
        const id = sessionOf(call.params);
        if (!id.ok) return id;
        const from = resumeAfter(call);
        if (!from.ok) return from;
        const there = await runtime.log.locate(id.value);
        if (!there.ok) return there;
        return ok({
          kind: "stream",
          frames: ending(texts.after(id.value, from.value, call.signal), call.signal, services),
        });
      },
    },
    {
      method: "GET",
      path: "/api/v1/stream",
      tag: "streams",
      summary: "What changes in the workspace: sessions and the inbox; after a break read the lists again",
      right: "read",
      answer: {
        status: 200,
        description: `Server-sent events: \`ready\`, \`session\`, \`approval\`; ${theEnd}`,
        mediaType: stream,
      },
      handle: async ({ signal }) =>
        ok({ kind: "stream", frames: ending(followWorkspace(services, signal), signal, services) }),
    },
  ];
}

/** A browser that reconnects says what it saw last; a program may say so in the address. */
export function resumeAfter({ header, query }: Call): Result<number> {
  const last = header("last-event-id");
  if (last === undefined || last === "") return ok(integer(query, "after", 0));
  return /^\d{1,15}$/.test(last) ? ok(Number(last)) : badResumeId(last);
}

/**
 * The last frame says that nothing more will come, so that a browser does not ask again for ever. A stream that ends with
 * its server only breaks off: what it tells of goes on, and whoever asks again hears the rest.
 */
export async function* ending(
  frames: AsyncIterable<Result<string>>,
  signal: AbortSignal,
  { sanitizeError }: Pick<Services, "sanitizeError">,
): AsyncGenerator<string> {
  for await (const each of frames) {
    if (!each.ok) {
      yield problemFrame(sanitizeError(each.error, "a stream"));
      return;
    }
    yield each.value;
  }
  if (!signal.aborted) yield frame("end", { reason: "closed" });
}
