import { describe, expect, test } from "vitest";
import { attentionHarness } from "../../../../test/support/attention.ts";

const file = (path: string, more: object = {}) => ({ type: "file_read" as const, paths: [path], ...more });

describe("halting", () => {
  const halt = (stage: object) => ({
    files: { "a.md": "A", "b.md": "B" },
    templates: [{ pipeline: [file("a.md"), { type: "halting" as const, ...stage }, file("b.md")] }],
  });

  test.each([
    { min_fragments: 1 },
    { max_fragments: 1 },
    { max_tokens: 1 },
    { when: "fragments >= 1 && aperture == 'closed'" },
  ])("%o ends the pipeline, and the trace says why", async (stage) => {
    const harness = attentionHarness(halt(stage));
    expect(await harness.assemble()).toMatchObject({
      ok: true,
      value: { outcome: "halted", fragments: [{ origin: "file:a.md" }] },
    });
    expect(harness.trace().stages).toMatchObject([
      { status: "done" },
      { type: "halting", status: "halted", note: expect.any(String) },
    ]);
  });

  test.each([
    { min_fragments: 2 },
    { max_fragments: 2 },
    { when: "fragments > 5" },
    { max_fragments: 1, min_fragments: 2 },
  ])("%o lets it go on", async (stage) => {
    const assembled = await attentionHarness(halt(stage)).assemble();
    expect(assembled).toMatchObject({ ok: true, value: { outcome: "complete", fragments: [{}, {}] } });
  });

  test.each(["fragments +", "nothing > 1", "1 + 1"])("a condition that is not one is an error: %s", async (when) => {
    expect(await attentionHarness(halt({ when })).assemble()).toMatchObject({
      ok: false,
      error: { code: "CONFIG_INVALID" },
    });
  });
});
