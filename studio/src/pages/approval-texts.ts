import type { JsonObject } from "../../../src/core/values/json.ts";
import { approvalKinds } from "../../../src/main/tables/approvals.ts";
import type { Wanted } from "../../../src/people/approvals/answer-form.ts";
import type { Approval } from "../api/types.ts";

/** What a choice is called on its button. A choice that an older Writ recorded and the kind has no longer is shown by its name. */
export function labelOf({ kind }: Pick<Approval, "kind">, choice: string): string {
  const labels: Readonly<Record<string, string>> = approvalKinds[kind].studio.labels;
  return labels[choice] ?? choice;
}

/** Everything that lands in the inbox, as the beginning of a sentence. */
export function everyKind(): string {
  const plurals = Object.values(approvalKinds).map(({ studio }) => studio.plural);
  const text = new Intl.ListFormat("en-GB").format(plurals);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a yes to this question holds beside its words; undefined where that is nothing. */
export function wantedBy({ kind, subject }: Pick<Approval, "kind" | "subject">): Wanted | undefined {
  const { wants } = approvalKinds[kind];
  return wants === "nothing" ? undefined : wants(subject as JsonObject);
}
