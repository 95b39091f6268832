import { describe, expect, test } from "vitest";
import { ok } from "#core/values";
import { attentionHarness } from "../../../../test/support/attention.ts";

const file = (path: string, more: object = {}) => ({ type: "file_read" as const, paths: [path], ...more });

describe("custom stages", () => {
  const pipeline = [
    { type: "custom" as const, handler: "weather", on_error: "skip" as const, config: { city: "Rome" } },
  ];

  test("a registered function answers; what it brings is untrusted unless it says otherwise", async () => {
    const harness = attentionHarness({
      templates: [{ pipeline }],
      custom: {
        weather: async (config) => ok({ fragments: [{ origin: "weather", text: `sun in ${String(config["city"])}` }] }),
      },
    });
    expect(await harness.assemble()).toMatchObject({
      ok: true,
      value: { fragments: [{ text: "sun in Rome", trust: "untrusted" }] },
    });
  });

  test("an unknown name fails closed before anything is read, whatever on_error says", async () => {
    const harness = attentionHarness({
      templates: [{ pipeline: [file("a.md"), ...pipeline] }],
      files: { "a.md": "A" },
    });
    expect(await harness.assemble()).toMatchObject({
      ok: false,
      error: { code: "CONFIG_INVALID", message: expect.stringContaining("weather") },
    });
    expect(harness.files.reads).toEqual([]);
  });

  test("one that throws is an error of the stage; one that never answers ends with the time limit", async () => {
    const thrown = attentionHarness({
      templates: [{ pipeline }],
      custom: { weather: () => Promise.reject(new Error("no sky")) },
    });
    expect(await thrown.assemble()).toMatchObject({
      ok: true,
      value: { outcome: "empty", warnings: [expect.stringContaining("no sky")] },
    });
    const silent = attentionHarness({
      templates: [{ pipeline, on_limit: "return_partial" }],
      custom: { weather: () => new Promise(() => {}) },
    });
    const pending = silent.assemble();
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    silent.clock.advance(1_000);
    expect(await pending).toMatchObject({ ok: true, value: { outcome: "partial" } });
  });
});
