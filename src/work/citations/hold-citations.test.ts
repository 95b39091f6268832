import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ResearchNoteV1 } from "#core/contracts";
import type { Event } from "#log";
import { holdCitations } from "./hold-citations.ts";
import { ShownSources } from "./shown-sources.ts";

type Citation = ResearchNoteV1["citations"][number];

const hash = "a".repeat(64);
const older = "b".repeat(64);
const bees = [
  "# Bees",
  "",
  "A hive of bees makes honey from nectar, and keeps",
  "ten to thirty kilograms of it for the winter.",
  "",
  "> In winter the bees keep the queen “warm”.",
  "",
  "| task | days |",
  "|---|---|",
  "| nurse | 6–12 |",
  "A worker does not sting unless the hive is disturbed.",
];
const output = (name: string, content: unknown, more: object = {}): Event =>
  ({
    type: "tool.output",
    payload: { call_id: "1", name, shown: true, is_error: false, trust: "trusted", content, ...more },
  }) as never;
const read = (path: string, lines: readonly string[], more: object = {}) =>
  output("fs.read", { path, content: lines.join("\n"), hash, start_line: 1, ...more });

function shown(...events: readonly Event[]): ShownSources {
  const sources = new ShownSources();
  for (const event of events) sources.see(event);
  return sources;
}
const sources = shown(
  read("notes/bees.md", bees),
  output("sources.search", {
    passages: [
      {
        source: "docs/wasps.md",
        kind: "file",
        heading: "W",
        start_line: 40,
        end_line: 41,
        text: "Wasps hunt flies\nand feed larvae with them.",
        hash,
      },
      {
        source: "turns.md",
        kind: "handbook",
        heading: "T",
        start_line: 3,
        end_line: 3,
        text: "A turn writes into a private overlay.",
        hash,
      },
    ],
  }),
  output("keeper.ask", { content: [{ type: "text", text: "The bees dance to show where the nectar is." }] }),
  output(
    "fs.read",
    { path: "secret.md", content: "The code of the door is four.", hash, start_line: 1 },
    { is_error: true },
  ),
);
const note = (citation: Partial<Citation>, cited: readonly string[] = ["1"]): ResearchNoteV1 => ({
  summary: "s",
  findings: [{ text: "t", citations: [...cited] }],
  citations: [{ id: "1", kind: "file", source: "notes/bees.md", ...citation }],
});
const held = (citation: Partial<Citation>, cited?: readonly string[]) => holdCitations(note(citation, cited), sources);
const right = (citation: Partial<Citation>) => {
  const result = held(citation);
  return result.ok ? { ...result.value.note.citations[0], mended: result.value.mended } : result.error.message;
};
const refusal = (citation: Partial<Citation>, cited?: readonly string[]) => {
  const result = held(citation, cited);
  return result.ok ? "held" : result.error.message;
};

describe("a citation holds where its words stand in what the session was shown", () => {
  test("words, lines and hash are kept; what was left out is filled in", () => {
    const quote = "A hive of bees makes honey from nectar";
    expect(right({ quote, lines: [3, 3], sha256: hash })).toEqual({
      id: "1",
      kind: "file",
      source: "notes/bees.md",
      quote,
      lines: [3, 3],
      sha256: hash,
      mended: [],
    });
    expect(right({ quote })).toMatchObject({ lines: [3, 3], sha256: hash, mended: [] });
    expect(right({ quote: "and keeps ten to thirty kilograms of it", lines: [1, 11] })).toMatchObject({
      lines: [1, 11],
    });
    expect(right({ quote: 'In winter the bees keep the queen "warm".' })).toMatchObject({ lines: [6, 6], mended: [] });
    expect(right({ quote: "A hive of bees makes honey … kilograms of it for the winter" })).toMatchObject({
      lines: [3, 4],
    });
    expect(right({ quote: "| nurse | 6–12 |" })).toMatchObject({ lines: [10, 10] });
    expect(right({ source: "docs/wasps.md", quote: "feed larvae with them" })).toMatchObject({ lines: [41, 41] });
    expect(right({ kind: "mcp", source: "keeper.ask", quote: "The bees dance to show" })).toMatchObject({ mended: [] });
  });

  test("another spelling of the path, the place, the hash or a word is put right, and it says so", () => {
    const quote = "A hive of bees makes honey from nectar";
    for (const source of [
      "./notes/bees.md",
      "/notes/bees.md",
      "`notes/bees.md`",
      "Notes/Bees.md",
      "bees.md",
      "notes/bees.md#L3-L9",
      "notes\\bees.md",
      "work/notes/bees.md",
    ])
      expect(right({ source, quote })).toMatchObject({
        source: "notes/bees.md",
        mended: [`citation 1: ${source} is notes/bees.md`],
      });
    expect(right({ quote, lines: [9, 10] })).toMatchObject({
      lines: [3, 3],
      mended: ["citation 1: the words stand on line 3, not lines 9 to 10"],
    });
    expect(right({ quote, lines: [1, 9000] })).toMatchObject({ lines: [3, 3] });
    expect(right({ quote, sha256: older })).toMatchObject({
      sha256: hash,
      mended: ["citation 1: the hash is that of what was read"],
    });
    expect(right({ quote: "a worker does not sting, unless the hive is DISTURBED" })).toMatchObject({
      quote: "A worker does not sting unless the hive is disturbed",
      lines: [11, 11],
    });
    expect(right({ quote: "A hive of bees makes honey from nektar" })).toMatchObject({ quote });
    expect(right({ kind: "file", source: "keeper__ask", quote: "The bees dance to show" })).toMatchObject({
      kind: "mcp",
      source: "keeper.ask",
    });
    expect(right({ kind: "file", source: "turns.md", quote: "writes into a private overlay" })).toMatchObject({
      kind: "handbook",
    });
  });

  test("what is not there is refused, and says what is nearest", () => {
    expect(refusal({ source: "invented.md", quote: "A hive of bees" })).toContain(
      "invented.md, which was not read; read were notes/bees.md",
    );
    expect(refusal({ source: "secret.md", quote: "The code of the door is four." })).toContain("was not read"); // the read failed
    expect(refusal({ kind: "mcp", source: "keeper.other", quote: "The bees dance to show" })).toContain("was not read");
    expect(refusal({})).toContain("quotes nothing");
    expect(refusal({ quote: "Bees pay taxes in honey", lines: [9000, 9010] })).toContain(
      "does not stand in what was read",
    );
    // One word makes it another fact: no slip.
    expect(refusal({ quote: "A worker does sting unless the hive is disturbed" })).toContain(
      'the nearest there, on line 11: "A worker does not sting',
    );
    expect(refusal({ quote: "ten to ninety kilograms of it for the winter" })).toContain("on line 4");
    expect(refusal({ quote: "| nurse | 6–14 |" })).toContain("does not stand");
    expect(refusal({ quote: "A hive of bees makes hony from nectar" })).toContain("makes honey from nectar"); // short words differ by a letter
    expect(refusal({ quote: "honey" })).toContain("does not stand"); // too short to stand for anything
    expect(refusal({ quote: "feed larvae with them" })).toContain("notes/bees.md"); // of another source
    expect(refusal({ quote: "Wasps hunt flies", source: "docs/wasps.md", lines: [9, 3] })).toContain(
      "before it begins",
    );
    expect(refusal({ quote: "A hive of bees makes honey" }, ["2"])).toContain("citation 2, which is not there");
    expect(refusal({ quote: "A hive of bees makes honey" }, [])).toContain("rests on nothing");
  });

  test("words that the session was not shown do not count, even where the file has them", () => {
    const partly = shown(read("long.md", ["Only the first line was shown here."]));
    const result = holdCitations(note({ source: "long.md", quote: "The second line was never shown to it" }), partly);
    expect(result.ok).toBe(false);
    const apart = shown(
      read("a.md", ["the first half of it"]),
      read("a.md", ["the second half of it"], { start_line: 9 }),
    );
    expect(holdCitations(note({ source: "a.md", quote: "first half of it the second half" }), apart).ok).toBe(false);
  });

  test("a note may be sent back with all that is wrong with it at once", () => {
    const wrong: ResearchNoteV1 = {
      summary: "s",
      findings: [{ text: "t", citations: ["1", "2", "3"] }],
      citations: [
        { id: "1", kind: "file", source: "x.md", quote: "x x x x x x x x x x x x" },
        { id: "2", kind: "file", source: "notes/bees.md" },
      ],
    };
    const result = holdCitations(wrong, sources);
    expect(result.ok ? "" : result.error.message).toMatch(
      /citation 1 names x\.md.*citation 2 quotes nothing.*citation 3, which is not there/,
    );
  });
});

describe("over many citations", () => {
  const words = [
    "granite",
    "lantern",
    "harbour",
    "seldom",
    "quarrel",
    "velvet",
    "between",
    "mountain",
    "whisper",
    "orchard",
  ];
  const more = [
    "cathedral",
    "umbrella",
    "voltage",
    "penguin",
    "statute",
    "balcony",
    "hydrogen",
    "trumpet",
    "glacier",
    "mandate",
  ];
  const text = fc.array(fc.constantFrom(...words), { minLength: 60, maxLength: 120 }).map((all) => {
    const lines: string[] = [];
    for (let at = 0; at < all.length; at += 8) lines.push(`${all.slice(at, at + 8).join(" ")}.`);
    return lines;
  });
  const quoteOf = (lines: readonly string[], from: number, count: number) => {
    const all = lines.join(" ").split(" ");
    const start = from % (all.length - count);
    return all.slice(start, start + count).join(" ");
  };

  test("no invented quote is held: with one word of its own, however it is placed", () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.constantFrom(...more), fc.nat({ max: 6 }), (lines, from, foreign, at) => {
        const said = quoteOf(lines, from, 7).split(" ");
        said[at] = foreign;
        const result = holdCitations(
          note({ source: "t.md", quote: said.join(" "), lines: [1, 2] }),
          shown(read("t.md", lines)),
        );
        expect(result.ok).toBe(false);
      }),
      { numRuns: 250 },
    );
  });

  test("near misses are put right: shifted lines, lost punctuation, case, one letter", () => {
    let mended = 0;
    let tried = 0;
    fc.assert(
      fc.property(text, fc.nat(), fc.nat({ max: 3 }), fc.nat({ max: 6 }), (lines, from, slip, at) => {
        const exact = quoteOf(lines, from, 7);
        const said = exact.split(" ");
        const word = said[at] ?? "";
        if (slip === 0) said[at] = word.toUpperCase();
        else if (slip === 1) said[at] = word.replace(".", "");
        else if (slip === 2) said[at] = word.slice(0, 2) + word.slice(3);
        const quote = said.join(" ");
        const result = holdCitations(note({ source: "./t.md", quote, lines: [900, 901] }), shown(read("t.md", lines)));
        tried += 1;
        if (!result.ok) return;
        mended += 1;
        const [from_, to = from_] = result.value.note.citations[0]?.lines ?? [];
        const there = lines.slice((from_ ?? 1) - 1, to).join(" ");
        expect(there).toContain(result.value.note.citations[0]?.quote);
      }),
      { numRuns: 250 },
    );
    expect(mended / tried).toBeGreaterThanOrEqual(0.95);
  });
});
