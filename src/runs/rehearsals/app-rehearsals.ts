import type { Rehearsal } from "#agents";

const load = async () => (await import("../apps/rehearsal/rehearsals.ts")).rehearseApps;

/** When the scripted model answers for an app or a worker. `writ run` needs none of them, so it loads none. */
export const appRehearsals: readonly Rehearsal[] = [
  {
    when: {
      contracts: [
        "PRC-AGENT-001",
        "PRC-CHANGE-PLAN-001",
        "PRC-CHANGE-REVIEW-001",
        "PRC-EDITORIAL-001",
        "PRC-OUTLINE-001",
        "PRC-RESEARCH-001",
      ],
    },
    load,
  },
  { when: { role: "worker", prompt: /\n\nWrite \S+, whole\./ }, load },
];
