import { isJsonObject, type JsonObject } from "#core/values";
import type { SectionWork } from "./section-work.ts";

export interface Citation {
  readonly source: string;
  readonly kind: string;
  readonly lines?: readonly [number, number];
  /** The section that cites it. */
  readonly heading: string;
}

/** The citations of the applied sections. */
export function citationsOf(
  work: readonly SectionWork[],
  results: ReadonlyMap<string, JsonObject>,
): readonly Citation[] {
  return work.flatMap(({ item, heading }) => {
    const citations = results.get(item.work_id)?.["citations"];
    if (!Array.isArray(citations)) return [];
    return citations.filter(isJsonObject).map((citation): Citation => {
      const lines = citation["lines"];
      const [from, to] = Array.isArray(lines) ? lines : [];
      return {
        source: String(citation["source"]),
        kind: String(citation["kind"]),
        ...(typeof from === "number" && typeof to === "number" ? { lines: [from, to] } : {}),
        heading,
      };
    });
  });
}
