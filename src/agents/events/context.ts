import type { EventKinds } from "#log";

export const contextKinds: EventKinds<"attention.assembled" | "context.compacted"> = {
  "attention.assembled": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ fragments, tokens, outcome }, words) => ({
        subject: "attention",
        text: `${fragments.length} ${fragments.length === 1 ? "fragment" : "fragments"}, ${words.count(tokens)} tokens (${outcome})`,
      }),
      entry: ({ fragments, tokens, outcome, error }) => {
        const pieces = `${fragments.length} ${fragments.length === 1 ? "piece" : "pieces"}`;
        const isUsual = outcome === "complete" || outcome === "empty";
        return {
          as: "row",
          sign: "work",
          text: `read ${pieces} of context, ${tokens} tokens`,
          isAtMargin: true,
          ...(error ? { isBad: true, outcome: `${error.code}: ${error.message}` } : isUsual ? {} : { outcome }),
        };
      },
    },
    isProblem: false,
  },
  "context.compacted": {
    replay: ({ before_hash }) => before_hash,
    story: ({ removed, tokens_before, tokens_after }, { pen }) => {
      const what = pen.dim(`${removed} messages shortened: ${tokens_before} to ${tokens_after} tokens`);
      return [{ who: "", what, right: "" }];
    },
    row: {
      lane: "flow",
      depth: 0,
      text: ({ tokens_before, tokens_after, removed }, { count }) => ({
        subject: "context",
        text: `${count(tokens_before)} → ${count(tokens_after)} tokens, ${removed} messages folded`,
      }),
      entry: ({ removed, tokens_before, tokens_after }) => ({
        as: "row",
        sign: "work",
        text: `${removed} messages shortened: ${tokens_before} to ${tokens_after} tokens`,
      }),
    },
    isProblem: false,
  },
};
