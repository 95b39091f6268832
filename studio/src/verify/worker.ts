import { messages } from "../api/server-sent.ts";
import { type ChainState, genesis, verifyLines } from "./chain.ts";
import { GiveWay } from "./give-way.ts";

export type Question =
  | { readonly kind: "prove"; readonly session_id: string }
  /** The reader scrolls the page. */
  | { readonly kind: "moved" };
export type Reply =
  | { readonly kind: "progress"; readonly events: number }
  | { readonly kind: "verdict"; readonly state: ChainState }
  | { readonly kind: "failed"; readonly reason: string };

/** Lines between two turns: about 3 ms of hashing; while the page scrolls, a third of that. */
const slice = 64;
const movingSlice = 20;
const progressMs = 200;

// Off the page's thread: 100,000 events are hashed while the reader scrolls.
const hop = new MessageChannel();
hop.port1.start();
const way = new GiveWay({
  now: () => performance.now(),
  wait: (ms) =>
    new Promise((resolve) => {
      if (ms > 0) return setTimeout(resolve, ms);
      // A turn of the event loop; a timer would cost 4 ms each.
      hop.port1.addEventListener("message", () => resolve(), { once: true });
      return hop.port2.postMessage(null);
    }),
});
self.addEventListener("message", ({ data }: MessageEvent<Question>) => {
  if (data.kind === "moved") way.moved();
  else void prove(data.session_id);
});

const reply = (message: Reply) => self.postMessage(message);

async function prove(session_id: string): Promise<void> {
  let reportedAt = performance.now();
  let state: ChainState = { ok: true, events: 0, head: genesis };
  try {
    const response = await fetch(`/api/v1/sessions/${session_id}/lines`);
    if (!response.ok || !response.body)
      return reply({ kind: "failed", reason: `the server answered ${response.status}` });
    for await (const message of messages(response.body)) {
      if (message.event !== "lines") continue;
      const lines = message.data as readonly string[];
      for (let from = 0; from < lines.length && state.ok; ) {
        const to = from + ((await way.turn()) ? movingSlice : slice);
        state = verifyLines(lines.slice(from, to), { seq: state.events, head: state.head });
        from = to;
      }
      if (!state.ok) break;
      if (performance.now() - reportedAt < progressMs) continue;
      reportedAt = performance.now();
      reply({ kind: "progress", events: state.events });
    }
    reply({ kind: "verdict", state });
  } catch (thrown) {
    reply({ kind: "failed", reason: String(thrown) });
  }
}
