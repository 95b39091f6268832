import { describe, expect, test } from "vitest";
import type { ResearchNoteV1 } from "#core/contracts";
import type { Event } from "#log";
import { checkCitations } from "./check-citations.ts";
import { readSources } from "./read-sources.ts";
import { renderNote } from "./render-note.ts";

const hash = "a".repeat(64);
const output = (name: string, content: unknown, more: object = {}): Event =>
  ({
    type: "tool.output",
    payload: { call_id: "1", name, shown: true, is_error: false, trust: "trusted", content, ...more },
  }) as never;
const read = readSources([
  output("sources.search", { passages: [{ source: "notes/a.md", hash }] }),
  output("fs.read", { path: "notes/b.md", hash }),
  output("server.ask", { content: [] }),
  output("fs.read", { path: "secret.md", hash }, { is_error: true }),
]);
type Citation = ResearchNoteV1["citations"][number];
const note = (citation: Citation, cited: readonly string[] = ["1"]): ResearchNoteV1 => ({
  summary: "s",
  findings: [{ text: "t", citations: [...cited] }],
  citations: [citation],
});
const said = (citation: Omit<Citation, "id">, cited?: readonly string[]): string => {
  const checked = checkCitations(note({ id: "1", ...citation }, cited), read);
  return checked.ok ? "ok" : checked.error.message;
};

describe("citations", () => {
  test("what the session was shown may be cited, by file, by hash and by tool", () => {
    expect(said({ kind: "file", source: "notes/a.md", lines: [1, 3], sha256: hash })).toBe("ok");
    expect(said({ kind: "file", source: "notes/b.md" })).toBe("ok");
    expect(said({ kind: "mcp", source: "server.ask" })).toBe("ok");
  });

  test("what it was not shown is refused, with the reason", () => {
    expect(said({ kind: "file", source: "invented.md" })).toContain("invented.md, which was not read");
    expect(said({ kind: "file", source: "secret.md" })).toContain("was not read"); // the read failed
    expect(said({ kind: "file", source: "notes/a.md", sha256: "b".repeat(64) })).toContain("another content");
    expect(said({ kind: "mcp", source: "server.other" })).toContain("was not called");
    expect(said({ kind: "file", source: "notes/a.md", lines: [9, 3] })).toContain("before it begins");
    expect(said({ kind: "file", source: "notes/a.md" }, ["2"])).toContain("citation 2, which is not there");
    expect(said({ kind: "file", source: "notes/a.md" }, [])).toContain("rests on nothing");
  });
});

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
