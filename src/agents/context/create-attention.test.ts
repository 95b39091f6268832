import { describe, expect, test } from "vitest";
import { domainError } from "#core/errors";
import { err } from "#core/values";
import { growingRedactor } from "#log";
import { markLines } from "#log/redaction";
import { attentionHarness } from "../../../test/support/attention.ts";

const file = (path: string, more: object = {}) => ({ type: "file_read" as const, paths: [path], ...more });

describe("the prompt contract", () => {
  const contract = (required_context: object) => ({ contract_id: "PRC-1", required_context });

  test("its stages run besides the template's and cannot be halted away or squeezed out", async () => {
    const harness = attentionHarness({
      files: { "a.md": "a".repeat(400), "must.md": "m".repeat(400) },
      templates: [
        {
          pipeline: [file("a.md"), { type: "halting", min_fragments: 0 }],
          limits: { max_tokens: 250 },
          on_limit: "return_partial",
        },
      ],
    });
    const assembled = await harness.assemble({ contract: contract({ stages: [file("must.md")] }) });
    expect(assembled).toMatchObject({ ok: true, value: { fragments: [{ origin: "file:must.md", required: true }] } });
    expect(harness.trace()).toMatchObject({
      contract_id: "PRC-1",
      stages: [{ from: "contract" }, { from: "template" }, { status: "halted" }],
    });
  });

  test("too few fragments are a failure, and the lower of two token limits holds", async () => {
    const options = { files: { "a.md": "a".repeat(2000) }, templates: [{ pipeline: [file("a.md")] }] };
    expect(await attentionHarness(options).assemble({ contract: contract({ min_fragments: 2 }) })).toMatchObject({
      ok: false,
      error: { code: "ATTENTION_EMPTY" },
    });
    expect(await attentionHarness(options).assemble({ contract: contract({ max_tokens: 100 }) })).toMatchObject({
      ok: false,
      error: { code: "ATTENTION_LIMIT" },
    });
  });
});

describe("the trace", () => {
  test("tells what each stage asked, found, kept and dropped, and holds no text", async () => {
    const harness = attentionHarness({
      files: { "a.md": "Very private words" },
      templates: [{ pipeline: [file("a.md", { name: "project" })], version: "2.1.0" }],
    });
    const assembled = await harness.assemble();
    expect(harness.trace()).toMatchObject({
      template_id: "ATT-1",
      template_version: "2.1.0",
      aperture: "closed",
      outcome: "complete",
      queries: 1,
      stages: [
        {
          type: "file_read",
          name: "project",
          asked: { paths: ["a.md"] },
          found: 1,
          kept: 1,
          dropped: {},
          duration_ms: 0,
        },
      ],
      fragments: [{ origin: "file:a.md", trust: "untrusted", stage: "project" }],
    });
    expect(assembled.ok && assembled.value.context_hash).toBe(harness.trace().context_hash);
    expect(JSON.stringify(harness.recorder.events)).not.toContain("private");
  });

  test("a failing stage is skipped only where it says so, and the error is in the trace", async () => {
    const ledgers = { search: async () => err(domainError("STORE_UNAVAILABLE", "no disk")) };
    const ask = (on_error: "skip" | "fail") =>
      attentionHarness({ ledgers, templates: [{ pipeline: [{ type: "ledger_query", sessions: "all", on_error }] }] });
    const skipping = ask("skip");
    expect(await skipping.assemble()).toMatchObject({ ok: true });
    expect(skipping.trace().stages[0]).toMatchObject({ status: "skipped", note: "STORE_UNAVAILABLE: no disk" });
    expect(await ask("fail").assemble()).toMatchObject({ ok: false, error: { code: "STORE_UNAVAILABLE" } });
  });

  test("what is redacted is redacted before it is hashed and shown", async () => {
    const harness = attentionHarness({
      files: { "a.md": "key sk-123" },
      templates: [{ pipeline: [file("a.md")] }],
      redact: (text) => text.replaceAll("sk-123", "[gone]"),
    });
    const assembled = await harness.assemble();
    expect(assembled.ok && assembled.value.text).not.toContain("sk-123");
    expect(assembled.ok && assembled.value.fragments[0]?.text).toBe("key [gone]");
  });

  test("a passage that begins within a key shows no line of it, and is cited with its own lines", async () => {
    const made = growingRedactor([]);
    if (!made.ok) throw new Error(made.error.message);
    const line = "MzEfYyjiWA4R4M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu";
    const key = ["-----BEGIN PRIVATE KEY-----", ...Array<string>(40).fill(line), "-----END PRIVATE KEY-----"];
    const harness = attentionHarness({
      files: { "a.md": [...key, "", "The bridge is painted green."].join("\n") },
      templates: [{ pipeline: [{ type: "horizontal_search", sources: ["files"], paths: ["a.md"], min_score: 0 }] }],
      redactLines: (text) => markLines(text, made.value.secretsIn(text)),
    });
    const assembled = await harness.assemble({ prompt: "bridge" });
    expect(assembled.ok && assembled.value.text).toContain("painted green");
    expect(assembled.ok && assembled.value.text).not.toContain("YyjiWA4R4");
    expect(assembled.ok && assembled.value.fragments.at(0)?.origin).toMatch(/#L\d+-44$/);
  });
});
