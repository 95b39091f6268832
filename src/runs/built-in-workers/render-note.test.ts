import { describe, expect, test } from "vitest";
import type { ResearchNoteV1 } from "#core/contracts";
import { renderNote } from "./render-note.ts";

type Citation = ResearchNoteV1["citations"][number];

describe("a note as a section", () => {
  const citations: Citation[] = [
    { id: "1", kind: "file", source: "a.md", lines: [2, 2] },
    { id: "2", kind: "handbook", source: "b.md", lines: [3, 9] },
    { id: "3", kind: "file", source: "unused.md" },
  ];

  test("findings carry footnotes named after the item; titles are not repeated, and unused citations stay out", () => {
    const text = renderNote(
      {
        summary: "s",
        findings: [
          { heading: "Leases", text: "One.", citations: ["1"] },
          { heading: "Fences", text: "Two.\n\n# Deep\n\n```\n# code\n```", citations: ["2"] },
          { heading: "Fences", text: "Three.", citations: ["1", "2"] },
        ],
        citations,
      },
      { prefix: "w1", level: 2, heading: "Leases" },
    );
    expect(text).toBe(
      "One.[^w1-1]\n\n### Fences\n\nTwo.\n\n#### Deep\n\n```\n# code\n```\n\n[^w1-2]\n\nThree.[^w1-1][^w1-2]\n\n" +
        "[^w1-1]: `a.md`, line 2\n[^w1-2]: Writ's handbook, `b.md`, lines 3-9\n",
    );
  });

  test("nothing found is said in words", () => {
    expect(renderNote({ summary: "Nothing.", findings: [], citations: [] }, { prefix: "w", level: 2 })).toBe(
      "Nothing.\n",
    );
  });
});
