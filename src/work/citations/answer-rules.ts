import type { AgentContext } from "#agents";
import type { ResearchNoteV1 } from "#core/contracts";
import { ok } from "#core/values";
import { holdCitations } from "./hold-citations.ts";
import type { ShownSources } from "./shown-sources.ts";

/** The contracts that promise more than their form: what an answer under one of them is held to. */
export function answerRule(shown: ShownSources): NonNullable<AgentContext["answerRule"]> {
  return (schema_id, value) => {
    if (schema_id !== "research_note_v1") return ok({ value, steps: [] });
    // The form was checked before.
    const held = holdCitations(value as unknown as ResearchNoteV1, shown);
    return held.ok ? ok({ value: { ...held.value.note }, steps: held.value.mended }) : held;
  };
}
