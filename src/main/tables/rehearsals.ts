import type { Rehearsal } from "#agents";
import { appRehearsals } from "#runs";

/** What the scripted model rehearsed, and for which calls. */
export const rehearsals: readonly Rehearsal[] = [
  ...appRehearsals,
  {
    when: { contracts: ["PRC-GRADE-001"] },
    load: async () => (await import("../../work/evals/rehearse-grade.ts")).rehearseGrade,
  },
];
