import { describe, expect, test } from "vitest";
import { attentionHarness, endedSession } from "../../../../test/support/attention.ts";

const file = (path: string, more: object = {}) => ({ type: "file_read" as const, paths: [path], ...more });

describe("structuring", () => {
  const sessions = () =>
    Promise.all(
      [1, 2, 3].map((seed) => endedSession(seed, { output: `result ${seed}`, tier: seed === 2 ? "hot" : "ho1" })),
    );

  test("chronological puts what always holds first, then by time", async () => {
    const harness = attentionHarness({
      files: { "z.md": "Z" },
      sessions: await sessions(),
      templates: [
        {
          pipeline: [
            { type: "ledger_query", sessions: "all", tiers: ["hot", "ho1"], entry_types: ["wo.completed"] },
            file("z.md"),
            { type: "structuring", strategy: "chronological" },
          ],
        },
      ],
    });
    const assembled = await harness.assemble();
    expect(assembled.ok && assembled.value.fragments[0]?.origin).toBe("file:z.md");
    const times = assembled.ok ? assembled.value.fragments.slice(1).map(({ ts }) => ts ?? "") : [];
    expect(times).toEqual(times.toSorted());
  });

  test("hierarchical puts registries before files before hot before ho1", async () => {
    const harness = attentionHarness({
      files: { "z.md": "Z", "registries/r.csv": "a\nb\n" },
      sessions: await sessions(),
      templates: [
        {
          pipeline: [
            { type: "ledger_query", sessions: "all", tiers: ["ho1", "hot"], entry_types: ["wo.completed"] },
            file("z.md"),
            { type: "registry_query", registry: "r" },
            { type: "structuring", strategy: "hierarchical" },
          ],
        },
      ],
    });
    const assembled = await harness.assemble();
    const kinds = assembled.ok ? assembled.value.fragments.map(({ origin, tier }) => tier ?? origin.split(":")[0]) : [];
    expect(kinds).toEqual(["registry", "file", "hot", "ho1", "ho1"]);
  });

  test("the same words from two places are said once; the more trusted place stays", async () => {
    const harness = attentionHarness({
      files: { "a.md": "a: 1", "b.md": "a:  1", "registries/r.csv": "a\n1\n" },
      templates: [
        {
          pipeline: [
            file("a.md"),
            file("b.md"),
            { type: "registry_query", registry: "r" },
            { type: "structuring", strategy: "relevance" },
          ],
        },
      ],
    });
    const assembled = await harness.assemble();
    expect(assembled.ok && assembled.value.fragments.map(({ origin }) => origin)).toEqual(["registry:r#1"]);
    expect(harness.trace().stages.at(-1)).toMatchObject({ found: 3, kept: 1, dropped: { duplicate: 2 } });
  });

  test("what does not fit the stage's tokens is left out, whole, and counted", async () => {
    const harness = attentionHarness({
      files: { "a.md": "a".repeat(400), "b.md": "b".repeat(4000), "c.md": "c".repeat(400) },
      templates: [{ pipeline: [file("*.md"), { type: "structuring", strategy: "relevance", max_tokens: 500 }] }],
    });
    const assembled = await harness.assemble();
    expect(assembled.ok && assembled.value.fragments.map(({ origin }) => origin)).toEqual(["file:a.md", "file:c.md"]);
    expect(harness.trace().stages.at(-1)).toMatchObject({ dropped: { budget: 1 } });
  });
});
