import type { AnswerMode } from "../form/output-mode.ts";
import type { WireApi } from "../provider-kind.ts";

/** A parameter that a server may refuse, and that a request can do without. */
export type Droppable = "temperature" | "reasoning" | "cache_key" | "forced_tool";

/** What a server has refused of one model, so that it is not asked for it again. */
export interface Ways {
  readonly refusedModes: readonly AnswerMode[];
  readonly refusedApis: readonly WireApi[];
  readonly without: readonly Droppable[];
}

/** One refusal and what followed from it; `said` is the server's own word. */
export interface Lesson {
  readonly model: string;
  readonly refused: { readonly mode: AnswerMode } | { readonly api: WireApi } | { readonly parameter: Droppable };
  readonly said: string;
}

/** What the servers of one profile have taught, by model. Kept beside the workspace; once lost, it is learned again. */
export interface LearnedWays {
  of(model: string): Ways;
  learn(lesson: Lesson): void;
}

export const nothingLearned: Ways = { refusedModes: [], refusedApis: [], without: [] };

export function rememberedWays(
  known: Readonly<Record<string, Ways>> = {},
  onLesson: (ways: Readonly<Record<string, Ways>>, lesson: Lesson) => void = () => undefined,
): LearnedWays {
  const ways: Record<string, Ways> = { ...known };
  return {
    of: (model) => (Object.hasOwn(ways, model) ? ways[model] : undefined) ?? nothingLearned,
    learn(lesson) {
      const before = this.of(lesson.model);
      const after = withLesson(before, lesson.refused);
      if (after === before) return;
      ways[lesson.model] = after;
      onLesson(ways, lesson);
    },
  };
}

function withLesson(ways: Ways, refused: Lesson["refused"]): Ways {
  if ("mode" in refused)
    return ways.refusedModes.includes(refused.mode)
      ? ways
      : { ...ways, refusedModes: [...ways.refusedModes, refused.mode] };
  if ("api" in refused)
    return ways.refusedApis.includes(refused.api) ? ways : { ...ways, refusedApis: [...ways.refusedApis, refused.api] };
  return ways.without.includes(refused.parameter) ? ways : { ...ways, without: [...ways.without, refused.parameter] };
}
