import type { Rehearsal } from "#agents";

const apps = async () => (await import("../../runs/apps/rehearsal/rehearsals.ts")).rehearseApps;

/** Who rehearsed what with the scripted model. `writ run` needs none of it, so it loads none. */
export const rehearsals: readonly Rehearsal[] = [
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
    load: apps,
  },
  { when: { role: "worker", prompt: /\n\nWrite \S+, whole\./ }, load: apps },
  {
    when: { contracts: ["PRC-GRADE-001"] },
    load: async () => (await import("../../work/evals/rehearse-grade.ts")).rehearseGrade,
  },
];
