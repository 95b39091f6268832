import { type ChainState, genesis, verifyLines } from "./chain.ts";

export interface Question {
  readonly session_id: string;
  readonly headers: Record<string, string>;
}
export type Reply =
  | { readonly kind: "progress"; readonly events: number }
  | { readonly kind: "verdict"; readonly state: ChainState }
  | { readonly kind: "failed"; readonly reason: string };

const pageSize = 1_000;

// Off the page's thread: 100,000 events are hashed while the reader scrolls.
self.onmessage = async ({ data }: MessageEvent<Question>) => {
  const reply = (message: Reply) => self.postMessage(message);
  let state: ChainState = { ok: true, events: 0, head: genesis };
  try {
    for (let more = true; more && state.ok; ) {
      const path = `/api/v1/sessions/${data.session_id}/events?lines=1&limit=${pageSize}&after=${state.events}`;
      const response = await fetch(path, { headers: data.headers });
      if (!response.ok) return reply({ kind: "failed", reason: `the server answered ${response.status}` });
      const { lines = [] } = (await response.json()) as { lines?: string[] };
      state = verifyLines(lines, { seq: state.events, head: state.head });
      more = lines.length === pageSize;
      if (state.ok) reply({ kind: "progress", events: state.events });
    }
    reply({ kind: "verdict", state });
  } catch (thrown) {
    reply({ kind: "failed", reason: String(thrown) });
  }
};
