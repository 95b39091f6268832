import { messages } from "../api/server-sent.ts";
import { type ChainState, genesis, verifyLines } from "./chain.ts";

export interface Question {
  readonly session_id: string;
  readonly headers: Record<string, string>;
}
export type Reply =
  | { readonly kind: "progress"; readonly events: number }
  | { readonly kind: "verdict"; readonly state: ChainState }
  | { readonly kind: "failed"; readonly reason: string };

// Off the page's thread: 100,000 events are hashed while the reader scrolls.
self.onmessage = async ({ data }: MessageEvent<Question>) => {
  const reply = (message: Reply) => self.postMessage(message);
  let state: ChainState = { ok: true, events: 0, head: genesis };
  try {
    const response = await fetch(`/api/v1/sessions/${data.session_id}/lines`, { headers: data.headers });
    if (!response.ok || !response.body)
      return reply({ kind: "failed", reason: `the server answered ${response.status}` });
    for await (const message of messages(response.body)) {
      if (message.event !== "lines") continue;
      state = verifyLines(message.data as readonly string[], { seq: state.events, head: state.head });
      if (!state.ok) break;
      reply({ kind: "progress", events: state.events });
    }
    reply({ kind: "verdict", state });
  } catch (thrown) {
    reply({ kind: "failed", reason: String(thrown) });
  }
};
