import type { Call, Reply, Route, SanitizeError } from "#core/routes";
import { frame, integer, plainGet, problemFrame } from "#core/routes";
import { type Clock, ok, type Result } from "#core/values";
import type { LogReader, SessionFeeds, SessionList, TextFeeds } from "#log";
import { badResumeId, sessionOf } from "./sessions.ts";
import { followWorkspace, type RecentQuestions } from "./workspace-feed.ts";

const stream = "text/event-stream";

/** The end of every stream, for descriptions. */
export const theEnd = "then `end`, or `error` with a code and whether it is retryable.";

/** The header that every stream with numbered frames reads. */
export const resuming = {
  "Last-Event-ID": {
    description: "The last `id` that was seen: the stream goes on after it.",
    pattern: "^[0-9]{1,15}$",
  },
};

const after = { type: "integer" as const, description: "Resume after this number; `Last-Event-ID` does the same." };

export interface StreamRouteParts {
  readonly feeds: Pick<SessionFeeds, "after">;
  readonly texts: Pick<TextFeeds, "after">;
  readonly sessions: Pick<SessionList, "read">;
  readonly inbox: RecentQuestions;
  readonly log: Pick<LogReader, "locate">;
  readonly clock: Clock;
  readonly sanitizeError: SanitizeError;
}

/** Server-sent events of sessions and of the workspace. */
export const streamRoutes: readonly Route<StreamRouteParts>[] = [
  {
    ...plainGet,
    path: "/api/v1/sessions/:session_id/stream",
    tag: "streams",
    summary: "The events of a session, past ones first, then as they become durable",
    right: "read",
    query: { after },
    headers: resuming,
    answer: {
      status: 200,
      description: `Server-sent events \`event\` (\`event_v1\`), whose \`id\` is the seq; ${theEnd}`,
      mediaType: stream,
    },
    otherAnswers: [],
    handle: (parts, call) => followSession(parts, call, parts.feeds),
  },
  {
    ...plainGet,
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
    otherAnswers: [],
    handle: (parts, call) => followSession(parts, call, parts.texts),
  },
  {
    ...plainGet,
    path: "/api/v1/stream",
    tag: "streams",
    summary: "What changes in the workspace: sessions and the inbox; after a break read the lists again",
    right: "read",
    query: {},
    headers: {},
    answer: {
      status: 200,
      description: `Server-sent events: \`ready\`, \`session\`, \`approval\`; ${theEnd}`,
      mediaType: stream,
    },
    otherAnswers: [],
    handle: async (parts, { signal }) =>
      ok({ kind: "stream", frames: ending(followWorkspace(parts, signal), signal, parts.sanitizeError) }),
  },
];

/** A browser that reconnects sends `Last-Event-ID`; a program may use `after`. */
export function resumeAfter({ header, query }: Call): Result<number> {
  const last = header("last-event-id");
  if (last === undefined || last === "") return ok(integer(query, "after", 0));
  return /^\d{1,15}$/.test(last) ? ok(Number(last)) : badResumeId(last);
}

/**
 * The last frame is `end`, so that a browser does not reconnect for ever. When the server closes the stream breaks off
 * without it: the session goes on, and a client that reconnects gets the rest.
 */
export async function* ending(
  frames: AsyncIterable<Result<string>>,
  signal: AbortSignal,
  sanitizeError: SanitizeError,
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

/** A session's stream from where the client left off; an unknown session is refused before the stream begins. */
async function followSession(
  { log, sanitizeError }: StreamRouteParts,
  call: Call,
  source: StreamRouteParts["feeds"] | StreamRouteParts["texts"],
): Promise<Result<Reply>> {
  const id = sessionOf(call.params);
  if (!id.ok) return id;
  const from = resumeAfter(call);
  if (!from.ok) return from;
  const there = await log.locate(id.value);
  if (!there.ok) return there;
  const frames = source.after(id.value, from.value, call.signal);
  return ok({ kind: "stream", frames: ending(frames, call.signal, sanitizeError) });
}
