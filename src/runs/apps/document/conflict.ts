import type { PatchOperationV1 } from "#core/contracts";

/** Why an operation cannot be applied to the current document. */
export interface Conflict {
  readonly kind:
    | "section_missing"
    | "section_ambiguous"
    | "section_changed"
    | "text_missing"
    | "text_ambiguous"
    | "breaks_structure"
    | "front_matter"
    | "wrong_document";
  /** The headings that the operation names; null when it is about the whole document. */
  readonly section: readonly string[] | null;
  readonly expected: string;
  readonly found: string;
  readonly remedy: string;
}

/** A conflict in one paragraph: the operation, the place, what was expected and found, and the remedy. */
export function explainConflict(conflict: Conflict, operation: PatchOperationV1, index: number): string {
  const where = conflict.section === null ? "" : ` at ${sectionName(conflict.section)}`;
  return `operation ${index + 1} (${operation.op}${where}): expected ${conflict.expected}; found ${conflict.found}. ${conflict.remedy}`;
}

export function sectionName(path: readonly string[]): string {
  return path.length === 0 ? "the text before the first heading" : `"${path.join(" > ")}"`;
}

/** The beginning of a text, for messages. */
export function glimpse(text: string): string {
  const flat = text.trim().replaceAll(/\s+/g, " ");
  return `"${flat.length > 60 ? `${flat.slice(0, 57)}…` : flat}"`;
}
