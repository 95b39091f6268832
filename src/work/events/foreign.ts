import type { EventKinds } from "#log";

export const foreignKinds: EventKinds<"foreign.permit"> = {
  "foreign.permit": {
    replay: ({ call_id }) => call_id,
    story: ({ name, transformed }, { speaker, pen }) => [
      {
        who: speaker,
        what: pen.name(name),
        right: pen.dim(transformed ? "let through, rewritten by a hook" : "let through"),
      },
    ],
    row: {
      lane: "tools",
      depth: 2,
      text: ({ name, transformed }) => ({
        subject: name,
        text: transformed ? "let through to the program, rewritten by a hook" : "let through to the program",
      }),
      entry: ({ name, transformed }) => ({
        as: "row",
        sign: "tool",
        text: transformed
          ? `${name}, rewritten by a hook, let through to the program`
          : `${name}, let through to the program`,
      }),
    },
    isProblem: false,
  },
};
