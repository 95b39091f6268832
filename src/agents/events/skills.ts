import type { EventKinds } from "#log";

export const skillKinds: EventKinds<"skill.invoke" | "skill.complete" | "skill.skipped" | "skill.loaded"> = {
  "skill.invoke": {
    replay: ({ skill }) => skill,
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ skill, reason, missing_tools = [] }) => ({
        subject: "skill",
        text: `${skill}: ${[reason, ...missing_tools.map((missing) => missing.reason)].join("; ")}`,
      }),
      entry: ({ skill, reason, missing_tools }) => ({
        as: "row",
        sign: "work",
        text: `skill ${skill}: ${reason}`,
        isAtMargin: true,
        ...(missing_tools ? { outcome: `goes without ${missing_tools.map(({ tool }) => tool).join(", ")}` } : {}),
      }),
    },
    isProblem: false,
  },
  "skill.complete": {
    replay: ({ skill }) => skill,
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "skill.complete", text: words.plain(payload), quiet: true }),
      entry: ({ skill, ok }) => ({
        as: "row",
        sign: "work",
        text: `skill ${skill} ${ok ? "done" : "failed"}`,
        isAtMargin: true,
        ...(ok ? {} : { isBad: true }),
      }),
    },
    isProblem: false,
  },
  "skill.loaded": {
    replay: ({ key }) => key,
    story: "silent",
    row: {
      lane: "flow",
      depth: 1,
      text: ({ skill, source }) => ({ subject: "skill", text: `loads ${skill} (${source})`, quiet: true }),
      entry: ({ skill, source }) => ({ as: "row", sign: "work", text: `loads the skill ${skill}`, outcome: source }),
    },
    isProblem: false,
  },
  "skill.skipped": {
    replay: ({ path }) => path,
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "skill.skipped", text: words.plain(payload), quiet: true }),
      entry: ({ path, reason }) => ({
        as: "row",
        sign: "note",
        text: `skill skipped: ${path}`,
        isAtMargin: true,
        outcome: reason,
      }),
    },
    isProblem: false,
  },
};
