import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ok } from "#core/values";
import { attentionHarness } from "../../../../test/support/attention.ts";
import { mandateFor } from "../../../../test/support/mandates.ts";
import { estimateTokens } from "../tokens.ts";

const file = (path: string, more: object = {}) => ({ type: "file_read" as const, paths: [path], ...more });

describe("limits", () => {
  const files = { "a.md": "a".repeat(400), "b.md": "b".repeat(400), "c.md": "c".repeat(400) };
  const pipeline = [file("a.md"), file("b.md"), file("c.md")];

  test.each([
    ["max_queries", { max_queries: 2 }],
    ["max_tokens", { max_tokens: 400 }],
  ] as const)("%s: fail is the resting state", async (limit, limits) => {
    const harness = attentionHarness({ files, templates: [{ pipeline, limits }] });
    expect(await harness.assemble()).toMatchObject({
      ok: false,
      error: { code: "ATTENTION_LIMIT", details: { limit } },
    });
    expect(harness.trace()).toMatchObject({ outcome: "failed", error: { code: "ATTENTION_LIMIT" } });
  });

  test.each([{ max_queries: 2 }, { max_tokens: 400 }])(
    "%o: return_partial gives what fits and says so",
    async (limits) => {
      const harness = attentionHarness({ files, templates: [{ pipeline, limits, on_limit: "return_partial" }] });
      const assembled = await harness.assemble();
      expect(assembled).toMatchObject({
        ok: true,
        value: { outcome: "partial", fragments: [{}, {}], warnings: [expect.stringContaining("partial")] },
      });
    },
  );

  test("time: no source is queried after it is up", async () => {
    const slow = {
      slow: async () => {
        harness.clock.advance(2_000);
        return ok({ fragments: [{ origin: "slow", text: "late" }] });
      },
    };
    const harness = attentionHarness({
      files,
      custom: slow,
      templates: [{ pipeline: [{ type: "custom", handler: "slow" }, ...pipeline], on_limit: "return_partial" }],
    });
    expect(await harness.assemble()).toMatchObject({ ok: true, value: { outcome: "partial" } });
    expect(harness.files.reads).toEqual([]);
    expect(harness.trace().stages.map(({ status }) => status)).toEqual(["limited", "limited", "limited", "limited"]);
  });

  test("use_cached gives the last whole context of the same order, and fails without one", async () => {
    let broken = false;
    const harness = attentionHarness({
      files,
      templates: [{ pipeline: [file("a.md"), { type: "custom", handler: "slow" }], on_limit: "use_cached" }],
      custom: {
        slow: async () => {
          if (broken) harness.clock.advance(5_000);
          return ok({ fragments: [] });
        },
      },
    });
    const first = await harness.assemble();
    broken = true;
    const second = await harness.assemble();
    expect(first.ok && second.ok && second.value.context_hash === first.value.context_hash).toBe(true);
    expect(second).toMatchObject({ ok: true, value: { outcome: "cached" } });
    expect(harness.trace()).toMatchObject({ outcome: "cached", cached_from: harness.recorder.session_id });
    expect(await harness.assemble({ work_order_id: "WO-20261115-999" })).toMatchObject({
      ok: false,
      error: { code: "ATTENTION_LIMIT" },
    });
    expect(await harness.assemble({ mandate: mandateFor({ forbidden: ["a.md"] }) })).toMatchObject({
      ok: false,
      error: { code: "ATTENTION_LIMIT" },
    });
    expect(await harness.assemble({ max_tokens: 10 })).toMatchObject({ ok: false, error: { code: "ATTENTION_LIMIT" } });
  });

  test("a caller that gives up gets CANCELED, not a partial context", async () => {
    const harness = attentionHarness({ files, templates: [{ pipeline, on_limit: "return_partial" }] });
    expect(await harness.assemble({}, AbortSignal.abort())).toMatchObject({ ok: false, error: { code: "CANCELED" } });
  });

  test("the token budget is never exceeded, whatever the texts and the policy", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 1, maxLength: 600, unit: "grapheme" }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 900 }),
        fc.constantFrom("return_partial" as const, "fail" as const, "use_cached" as const),
        fc.option(fc.integer({ min: 1, max: 900 }), { nil: undefined }),
        async (texts, max_tokens, on_limit, stageTokens) => {
          const harness = attentionHarness({
            custom: {
              texts: async () =>
                ok({ fragments: texts.map((text, index) => ({ origin: `t:${index}`, text, ts: String(index) })) }),
            },
            templates: [
              {
                pipeline: [
                  { type: "custom", handler: "texts" },
                  {
                    type: "structuring",
                    strategy: "chronological",
                    ...(stageTokens === undefined ? {} : { max_tokens: stageTokens }),
                  },
                ],
                limits: { max_tokens },
                on_limit,
              },
            ],
          });
          const assembled = await harness.assemble();
          if (!assembled.ok) return;
          const bound = Math.min(max_tokens, stageTokens ?? max_tokens);
          expect(estimateTokens(assembled.value.text)).toBeLessThanOrEqual(bound);
          expect(assembled.value.tokens).toBe(estimateTokens(assembled.value.text));
        },
      ),
      { numRuns: process.env["WRIT_CAMPAIGN"] ? 5_000 : 200 },
    );
  });
});

describe("empty", () => {
  test("fails unless the template says otherwise; a fallback is read once", async () => {
    const empty = { pipeline: [file("gone.md")] };
    expect(await attentionHarness({ templates: [{ ...empty, on_empty: "fail" }] }).assemble()).toMatchObject({
      ok: false,
      error: { code: "ATTENTION_EMPTY" },
    });
    expect(await attentionHarness({ templates: [{ ...empty, on_empty: "proceed" }] }).assemble()).toMatchObject({
      ok: true,
      value: { outcome: "empty", text: "" },
    });
    const withFallback = (pipeline: ReturnType<typeof file>[]) =>
      attentionHarness({
        files: { "a.md": "A" },
        templates: [
          { ...empty, applies_to: { tier: ["ho1"] }, on_empty: "use_fallback", fallback: { template_id: "ATT-2" } },
          { pipeline, applies_to: { tier: ["hot"] }, on_empty: "use_fallback", fallback: { template_id: "ATT-2" } },
        ],
      });
    expect(await withFallback([file("a.md")]).assemble()).toMatchObject({ ok: true, value: { template_id: "ATT-2" } });
    expect(await withFallback([file("gone.md")]).assemble()).toMatchObject({
      ok: false,
      error: { code: "ATTENTION_EMPTY" },
    });
  });

  test("a framework that names no template for an agent gives it nothing, and the log says so", async () => {
    const harness = attentionHarness({
      templates: [{ pipeline: [file("a.md")], applies_to: { agent_class: ["ADMIN"] } }],
      files: { "a.md": "A" },
    });
    expect(await harness.assemble()).toMatchObject({ ok: true, value: { template_id: null, fragments: [], text: "" } });
    expect(harness.trace()).toMatchObject({ template_id: null, outcome: "empty" });
  });
});
