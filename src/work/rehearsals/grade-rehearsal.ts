import type { Rehearsal } from "#agents";

/** When the scripted model grades an answer. Loaded with its first use: `writ run` grades nothing. */
export const gradeRehearsal: Rehearsal = {
  when: { contracts: ["PRC-GRADE-001"] },
  load: async () => (await import("../evals/rehearse-grade.ts")).rehearseGrade,
};
