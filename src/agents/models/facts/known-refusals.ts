import type { AnswerMode } from "../form/output-mode.ts";
import type { WireApi } from "../provider-kind.ts";

/** A parameter that a server may refuse, and that a request can do without. */
export type Droppable = "temperature" | "reasoning" | "cache_key" | "forced_tool";

/** Modes, interfaces and parameters that a server refused for one model. Later requests are sent without them. */
export interface RefusedForms {
  readonly refusedModes: readonly AnswerMode[];
  readonly refusedApis: readonly WireApi[];
  readonly without: readonly Droppable[];
}

/** One refusal, and what later requests are sent without because of it; `said` is the server's own message. */
export interface LearnedRefusal {
  readonly model: string;
  readonly refused: { readonly mode: AnswerMode } | { readonly api: WireApi } | { readonly parameter: Droppable };
  readonly said: string;
}

/** What the server of one profile refused, by model. Kept in the workspace; if lost, the server refuses once more. */
export interface KnownRefusals {
  of(model: string): RefusedForms;
  learn(refusal: LearnedRefusal): void;
}

export const nothingRefused: RefusedForms = { refusedModes: [], refusedApis: [], without: [] };

export function knownRefusals(
  known: Readonly<Record<string, RefusedForms>> = {},
  onLearned: (byModel: Readonly<Record<string, RefusedForms>>, refusal: LearnedRefusal) => void = () => undefined,
): KnownRefusals {
  const byModel: Record<string, RefusedForms> = { ...known };
  return {
    of: (model) => (Object.hasOwn(byModel, model) ? byModel[model] : undefined) ?? nothingRefused,
    learn(refusal) {
      const before = this.of(refusal.model);
      const after = withRefused(before, refusal.refused);
      if (after === before) return;
      byModel[refusal.model] = after;
      onLearned(byModel, refusal);
    },
  };
}

/** The same object where this refusal is known already. */
function withRefused(known: RefusedForms, refused: LearnedRefusal["refused"]): RefusedForms {
  const { refusedModes, refusedApis, without } = known;
  if ("mode" in refused)
    return refusedModes.includes(refused.mode) ? known : { ...known, refusedModes: [...refusedModes, refused.mode] };
  if ("api" in refused)
    return refusedApis.includes(refused.api) ? known : { ...known, refusedApis: [...refusedApis, refused.api] };
  return without.includes(refused.parameter) ? known : { ...known, without: [...without, refused.parameter] };
}
