import type { Event, EventType } from "#events";
import type { MemoryCheckpointV1 } from "#schemas";

/** What a session remembers of itself. Bounded, whatever the length of the session: it is context, not history. */
export type MemoryState = MemoryCheckpointV1["state"];

const kept = { turns: 50, outputsOfTurn: 20, files: 200, tools: 200, exchanges: 20, reviews: 20, text: 4000 } as const;

export const emptyMemory: MemoryState = {
  work_order_id: null,
  events: {},
  turns: [],
  files: [],
  tools: [],
  exchanges: [],
  reviews: [],
  plan: null,
  tokens: { input: 0, output: 0 },
};

/** An event whose type tells its payload's. */
type AnyEvent = { [T in EventType]: Event<T> }[EventType];

/** One event into memory. Pure: the same events give the same memory, from a checkpoint on or from the beginning. */
export function remember(state: MemoryState, recorded: Event): MemoryState {
  const event = recorded as AnyEvent;
  const counted = { ...state, events: { ...state.events, [event.type]: (state.events[event.type] ?? 0) + 1 } };
  const { seq } = event;
  switch (event.type) {
    case "session.start":
      return { ...counted, work_order_id: event.payload.work_order_id };
    case "turn.started": {
      const { turn_id, turn_number, package_id } = event.payload;
      return {
        ...counted,
        turns: last(kept.turns, [
          ...state.turns,
          { turn_id, turn_number, package_id, status: "running", outputs: [], seq },
        ]),
      };
    }
    case "turn.committed": {
      const { turn_id, outputs } = event.payload;
      const written = outputs
        .filter(({ change }) => change !== "folder")
        .map(({ path, sha256 }) => ({ path, sha256, turn_id, seq }));
      const fresh = new Set(written.map(({ path }) => path));
      return {
        ...counted,
        turns: endTurn(state.turns, turn_id, {
          status: "committed",
          outputs: written.slice(0, kept.outputsOfTurn).map(({ path }) => path),
        }),
        files: last(kept.files, [...state.files.filter(({ path }) => !fresh.has(path)), ...written]),
      };
    }
    case "turn.failed":
      return {
        ...counted,
        turns: endTurn(state.turns, event.payload.turn_id, { status: "failed", code: event.payload.code }),
      };
    case "turn.aborted":
      return { ...counted, turns: endTurn(state.turns, event.payload.turn_id, { status: "aborted" }) };
    case "tool.result":
      return {
        ...counted,
        tools: countTool(state.tools, event.payload.name, { calls: 1, errors: event.payload.status === "ok" ? 0 : 1 }),
      };
    case "tool.refused":
      return { ...counted, tools: countTool(state.tools, event.payload.name, { refused: 1 }) };
    case "llm.response": {
      const { role, text, usage } = event.payload;
      const tokens = {
        input: state.tokens.input + usage.input_tokens,
        output: state.tokens.output + usage.output_tokens,
      };
      if (!text) return { ...counted, tokens };
      return {
        ...counted,
        tokens,
        exchanges: last(kept.exchanges, [...state.exchanges, { role, text: text.slice(0, kept.text), seq }]),
      };
    }
    case "plan.made":
      return { ...counted, plan: event.payload.plan };
    case "review.result": {
      const { verdict, feedback } = event.payload;
      return {
        ...counted,
        reviews: last(kept.reviews, [...state.reviews, { verdict, feedback: feedback.slice(0, kept.text), seq }]),
      };
    }
    default:
      return counted; // counted, and nothing else: the ledger keeps the rest
  }
}

type Turn = MemoryState["turns"][number];
type Tool = MemoryState["tools"][number];

function endTurn(turns: readonly Turn[], turnId: string, end: Partial<Turn>): Turn[] {
  return turns.map((turn) => (turn.turn_id === turnId ? { ...turn, ...end } : turn));
}

function countTool(tools: readonly Tool[], name: string, more: Partial<Omit<Tool, "name">>): Tool[] {
  const before = tools.find((tool) => tool.name === name) ?? { name, calls: 0, errors: 0, refused: 0 };
  const after = {
    name,
    calls: before.calls + (more.calls ?? 0),
    errors: before.errors + (more.errors ?? 0),
    refused: before.refused + (more.refused ?? 0),
  };
  return last(kept.tools, [...tools.filter((tool) => tool.name !== name), after]);
}

function last<T>(count: number, items: T[]): T[] {
  return items.length > count ? items.slice(items.length - count) : items;
}
