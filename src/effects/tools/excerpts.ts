import type { PayloadRedactor } from "#log";
import { type SecretPart, secretParts } from "#log/redaction";
import type { TextRange } from "./tool.ts";

/** A longer text is looked at around what is shown of it. */
const mostWhole = 1024 * 1024;
/** No secret that the redactor finds is longer. */
const around = 64 * 1024;

/** Texts of which a call shows only a part, and the secrets in them. */
export class Excerpts {
  readonly #redactor: Pick<PayloadRedactor, "secretsIn"> | undefined;
  readonly #parts = new Map<string, SecretPart>();

  constructor(redactor: Pick<PayloadRedactor, "secretsIn"> | undefined) {
    this.#redactor = redactor;
  }

  /** `shown`: where the parts lie that are shown, in order; absent where that is not known. */
  add(whole: string, shown?: readonly TextRange[]): void {
    const [first] = shown ?? [];
    const last = shown?.at(-1);
    if (shown && !(first && last)) return;
    const from = first && whole.length > mostWhole ? Math.max(0, first.from - around) : 0;
    const text = last && whole.length > mostWhole ? whole.slice(from, last.to + around) : whole;
    const spans = (this.#redactor?.secretsIn?.(text) ?? []).filter(
      ({ start, end }) => !shown || shown.some((range) => range.from < from + end && from + start < range.to),
    );
    for (const part of secretParts(text, spans)) this.#parts.set(part.text, part);
  }

  /** The longest first: a part may be the beginning of another. */
  parts(): readonly SecretPart[] {
    return [...this.#parts.values()].toSorted((a, b) => b.text.length - a.text.length);
  }
}
