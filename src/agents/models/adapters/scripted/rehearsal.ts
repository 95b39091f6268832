import type { ProviderCall } from "../../provider.ts";
import type { Utterance } from "./utterance.ts";

/** Answers a call from what it holds and nothing else; undefined where it is about something else after all. */
export type Rehearse = (call: ProviderCall) => Utterance | undefined;

/**
 * How the scripted model answers for a part of Writ that wants more than a role's answer. The part brings it: this model knows no
 * app, worker or grader. Loaded at the first call that it is for.
 */
export interface Rehearsal {
  readonly when: { readonly contracts: readonly string[] } | { readonly role: string; readonly prompt: RegExp };
  readonly load: () => Promise<Rehearse>;
}

/** What the first rehearsal for this call answers. */
export async function rehearsed(rehearsals: readonly Rehearsal[], call: ProviderCall): Promise<Utterance | undefined> {
  for (const { when, load } of rehearsals) {
    const isMeant =
      "contracts" in when
        ? call.meta.contract_id !== null && when.contracts.includes(call.meta.contract_id)
        : when.role === call.meta.role && when.prompt.test(call.meta.prompt);
    const said = isMeant ? (await load())(call) : undefined;
    if (said) return said;
  }
  return undefined;
}
