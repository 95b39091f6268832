import { isJsonObject } from "#core/values";
import { textOf } from "./plain-words.ts";

/** A finding of a research note, with the first source that it cites. */
export interface Finding {
  readonly heading: string;
  readonly text: string;
  readonly source: string;
  readonly kind: string;
  readonly lines: readonly [number, number];
}

/** The findings of a note that have a citation; empty if the value is no note. */
export function findingsIn(note: unknown): readonly Finding[] {
  const { citations, findings } = isJsonObject(note) ? note : {};
  const byId = new Map(objectsIn(citations).map((citation) => [textOf(citation["id"]), citation]));
  return objectsIn(findings).flatMap(({ heading, text, citations: cited }) => {
    const [first] = Array.isArray(cited) ? cited : [];
    const citation = byId.get(textOf(first));
    if (!citation) return [];
    const [from, to] = Array.isArray(citation["lines"]) ? citation["lines"] : [];
    return [
      {
        heading: textOf(heading),
        text: textOf(text),
        source: textOf(citation["source"]),
        kind: textOf(citation["kind"]),
        lines: [Number(from ?? 1), Number(to ?? from ?? 1)],
      },
    ];
  });
}

/** The objects of a list; empty if the value is no list. */
export function objectsIn(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
