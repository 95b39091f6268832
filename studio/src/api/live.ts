import { reach } from "./client.ts";
import { type Message, messages } from "./server-sent.ts";

const firstWaitMs = 500;
const longestWaitMs = 10_000;

/**
 * Follows a server-sent stream until the caller stops it, resuming by the last id. Not EventSource: that tells nothing of
 * why a connection failed.
 */
export function follow(
  path: string,
  options: {
    readonly lastId?: string;
    readonly onMessage: (message: Message) => void;
    readonly onConnection?: (connected: boolean) => void;
  },
): () => void {
  const stop = new AbortController();
  let lastId = options.lastId ?? "";
  const connect = async (waitMs: number): Promise<void> => {
    let next = waitMs;
    let ended = false;
    try {
      const sent = { accept: "text/event-stream", ...(lastId ? { "last-event-id": lastId } : {}) };
      const response = await reach(path, { headers: sent, signal: stop.signal });
      if (response.ok && response.body) {
        options.onConnection?.(true);
        next = firstWaitMs;
        for await (const message of messages(response.body)) {
          if (message.id) lastId = message.id;
          if (message.event === "end") ended = true;
          options.onMessage(message);
        }
      }
    } catch (thrown) {
      if (stop.signal.aborted) return;
      console.warn(`the stream ${path} broke off; it is taken up again`, thrown);
    }
    options.onConnection?.(false);
    if (ended || stop.signal.aborted) return;
    setTimeout(() => void connect(Math.min(next * 2, longestWaitMs)), next);
  };
  void connect(firstWaitMs);
  return () => stop.abort();
}
