import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { domainError, err, ok } from "#base";
import { attentionDesk, endedSession } from "../../test/support/attention.ts";
import { estimateTokens } from "./tokens.ts";

const file = (path: string, more: object = {}) => ({ type: "file_read" as const, paths: [path], ...more });

describe("what is read", () => {
  test("a file is read whole, with its hash, and is untrusted", async () => {
    const desk = attentionDesk({
      templates: [{ pipeline: [file("<context_files>")] }],
      files: { "AGENTS.md": "Use tabs." },
    });
    const assembled = await desk.assemble();
    expect(assembled).toMatchObject({ ok: true, value: { outcome: "complete", warnings: [] } });
    if (!assembled.ok) return;
    expect(assembled.value.fragments).toMatchObject([
      { origin: "file:AGENTS.md", trust: "untrusted", text: "Use tabs." },
    ]);
    expect(assembled.value.text).toContain("Use tabs.");
  });

  test.each(["planes/ho1/x", ".env", "keys/a", "../outside", "/etc/passwd", "a\\b"])(
    "%s is never read",
    async (path) => {
      const desk = attentionDesk({ templates: [{ pipeline: [file(path)] }], files: { [path]: "secret" } });
      expect(await desk.assemble()).toMatchObject({ ok: false, error: { code: "CAPABILITY_VIOLATION" } });
      expect(desk.files.reads).toEqual([]);
      expect(desk.trace()).toMatchObject({ outcome: "failed", error: { code: "CAPABILITY_VIOLATION" }, fragments: [] });
    },
  );

  test("a link is not followed, neither as the file nor on the way to it", async () => {
    const desk = attentionDesk({ templates: [{ pipeline: [file("a/b.md")] }] });
    desk.files.link("/work/a");
    desk.files.put("/work/a/b.md", "x");
    expect(await desk.assemble()).toMatchObject({ ok: false, error: { code: "CAPABILITY_VIOLATION" } });
  });

  test("a glob takes what matches and leaves secret places out", async () => {
    const desk = attentionDesk({
      templates: [{ pipeline: [file("**/*.md")] }],
      files: { "a.md": "A", "docs/b.md": "B", "planes/ho1/c.md": "C", ".ssh/d.md": "D", "docs/e.txt": "E" },
    });
    const assembled = await desk.assemble();
    expect(assembled.ok && assembled.value.fragments.map(({ origin }) => origin)).toEqual([
      "file:a.md",
      "file:docs/b.md",
    ]);
  });

  test("a file above its size limit is left out and said so", async () => {
    const desk = attentionDesk({
      templates: [{ pipeline: [file("big.md", { max_bytes: 4 })] }],
      files: { "big.md": "12345" },
    });
    const assembled = await desk.assemble();
    expect(assembled).toMatchObject({ ok: true, value: { outcome: "empty" } });
    expect(desk.trace().stages[0]).toMatchObject({ dropped: { refused: 1 }, kept: 0 });
    expect(desk.trace().warnings[0]).toContain("larger than 4 bytes");
  });

  test("a missing file is skipped, or fails the stage where it says so", async () => {
    const pipeline = [file("gone.md")];
    expect(await attentionDesk({ templates: [{ pipeline }] }).assemble()).toMatchObject({ ok: true });
    const strict = [file("gone.md", { missing: "fail" })];
    expect(await attentionDesk({ templates: [{ pipeline: strict }] }).assemble()).toMatchObject({
      ok: false,
      error: { code: "NOT_FOUND" },
    });
  });

  test("registry rows are trusted, filtered and projected; an unknown column is an error", async () => {
    const files = { "registries/teams.csv": "team,city,size\nred,Rome,3\nblue,Oslo,4\n" };
    const ask = (more: object) =>
      attentionDesk({
        templates: [{ pipeline: [{ type: "registry_query", registry: "teams", ...more }] }],
        files,
      }).assemble();
    expect(await ask({ where: { city: "Oslo" }, columns: ["team", "size"] })).toMatchObject({
      ok: true,
      value: { fragments: [{ origin: "registry:teams#blue", trust: "trusted", text: "team: blue\nsize: 4" }] },
    });
    expect(await ask({ where: { colour: "red" } })).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
  });

  test("ledger entries come from the scope that is asked for, newest first, with the hash of the entry", async () => {
    const sessions = await Promise.all([
      endedSession(1, { output: "mine", work_order_id: "WO-20261115-001" }),
      endedSession(2, { output: "other order" }),
      endedSession(3, { output: "other framework", framework_id: "FMWK-009" }),
      endedSession(4, { output: "other tier", tier: "ho2" }),
    ]);
    const found = async (scope: "work_order" | "framework" | "all", tiers?: ("ho1" | "ho2")[]) => {
      const desk = attentionDesk({
        sessions,
        templates: [
          {
            pipeline: [
              ...(tiers ? [{ type: "tier_select" as const, tiers }] : []),
              { type: "ledger_query", sessions: scope, entry_types: ["wo.completed"], fields: ["output"] },
            ],
          },
        ],
      });
      const assembled = await desk.assemble();
      if (!assembled.ok) throw new Error(assembled.error.message);
      return assembled.value.fragments;
    };
    const mine = await found("work_order");
    expect(mine).toHaveLength(1);
    expect(mine[0]).toMatchObject({ trust: "untrusted", source_hash: sessions[0]?.events[1]?.hash });
    expect(mine[0]?.text).toContain('{"output":"mine"}');
    expect(await found("framework")).toHaveLength(2);
    expect(await found("all")).toHaveLength(3);
    expect((await found("all", ["ho2"])).map(({ text }) => text.includes("other tier"))).toEqual([true]);
  });

  test("the current session is read as it stands, and never found by a search", async () => {
    const desk = attentionDesk({
      templates: [
        {
          pipeline: [
            { type: "ledger_query", entry_types: ["session.start"] },
            { type: "ledger_query", sessions: "all" },
          ],
        },
      ],
    });
    await desk.recorder.append({
      type: "session.start",
      actor: "flow",
      payload: { tier: "ho1", work_order_id: "WO-1" },
    });
    const assembled = await desk.assemble();
    expect(assembled.ok && assembled.value.fragments.map(({ origin }) => origin)).toEqual([
      `events:${desk.recorder.session_id}#1`,
    ]);
  });

  test("horizontal search ranks across ledgers, registries and files, and drops what has nothing to do with it", async () => {
    const desk = attentionDesk({
      sessions: [
        await endedSession(1, { output: "The bridge was painted green" }),
        await endedSession(2, { output: "Bought bread" }),
      ],
      files: {
        "registries/things.csv": "thing,place\nbridge,river\nbread,oven\n",
        "docs/a.md": "Paint for the bridge is in the shed. Paint twice.",
        "docs/b.md": "Nothing of interest.",
      },
      templates: [
        {
          pipeline: [
            {
              type: "horizontal_search",
              sources: ["events", "registries", "files"],
              paths: ["docs/*.md"],
              entry_types: ["wo.completed"],
              fields: ["output"],
            },
          ],
        },
      ],
    });
    const assembled = await desk.assemble({ prompt: "paint the bridge" });
    if (!assembled.ok) throw new Error(assembled.error.message);
    expect(assembled.value.fragments[0]?.origin).toBe("file:docs/a.md#L1-1");
    const origins = assembled.value.fragments.map(({ origin }) => origin.split(":")[0]);
    expect(new Set(origins)).toEqual(new Set(["file", "events", "registry"]));
    expect(assembled.value.fragments.every(({ score }) => (score ?? 0) > 0)).toBe(true);
    expect(assembled.value.text).not.toContain("Nothing of interest");
    expect(assembled.value.text).not.toContain("bread");
  });
});

describe("structuring", () => {
  const sessions = () =>
    Promise.all(
      [1, 2, 3].map((seed) => endedSession(seed, { output: `result ${seed}`, tier: seed === 2 ? "hot" : "ho1" })),
    );

  test("chronological puts what always holds first, then by time", async () => {
    const desk = attentionDesk({
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
    const assembled = await desk.assemble();
    expect(assembled.ok && assembled.value.fragments[0]?.origin).toBe("file:z.md");
    const times = assembled.ok ? assembled.value.fragments.slice(1).map(({ ts }) => ts ?? "") : [];
    expect(times).toEqual(times.toSorted());
  });

  test("hierarchical puts registries before files before hot before ho1", async () => {
    const desk = attentionDesk({
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
    const assembled = await desk.assemble();
    const kinds = assembled.ok ? assembled.value.fragments.map(({ origin, tier }) => tier ?? origin.split(":")[0]) : [];
    expect(kinds).toEqual(["registry", "file", "hot", "ho1", "ho1"]);
  });

  test("the same words from two places are said once; the more trusted place stays", async () => {
    const desk = attentionDesk({
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
    const assembled = await desk.assemble();
    expect(assembled.ok && assembled.value.fragments.map(({ origin }) => origin)).toEqual(["registry:r#1"]);
    expect(desk.trace().stages.at(-1)).toMatchObject({ found: 3, kept: 1, dropped: { duplicate: 2 } });
  });

  test("what does not fit the stage's tokens is left out, whole, and counted", async () => {
    const desk = attentionDesk({
      files: { "a.md": "a".repeat(400), "b.md": "b".repeat(4000), "c.md": "c".repeat(400) },
      templates: [{ pipeline: [file("*.md"), { type: "structuring", strategy: "relevance", max_tokens: 500 }] }],
    });
    const assembled = await desk.assemble();
    expect(assembled.ok && assembled.value.fragments.map(({ origin }) => origin)).toEqual(["file:a.md", "file:c.md"]);
    expect(desk.trace().stages.at(-1)).toMatchObject({ dropped: { budget: 1 } });
  });
});

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
    const desk = attentionDesk(halt(stage));
    expect(await desk.assemble()).toMatchObject({
      ok: true,
      value: { outcome: "halted", fragments: [{ origin: "file:a.md" }] },
    });
    expect(desk.trace().stages).toMatchObject([
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
    const assembled = await attentionDesk(halt(stage)).assemble();
    expect(assembled).toMatchObject({ ok: true, value: { outcome: "complete", fragments: [{}, {}] } });
  });

  test.each(["fragments +", "nothing > 1", "1 + 1"])("a condition that is not one is an error: %s", async (when) => {
    expect(await attentionDesk(halt({ when })).assemble()).toMatchObject({
      ok: false,
      error: { code: "CONFIG_INVALID" },
    });
  });
});

describe("custom stages", () => {
  const pipeline = [
    { type: "custom" as const, handler: "weather", on_error: "skip" as const, config: { city: "Rome" } },
  ];

  test("a registered function answers; what it brings is untrusted unless it says otherwise", async () => {
    const desk = attentionDesk({
      templates: [{ pipeline }],
      custom: {
        weather: async (config) => ok({ fragments: [{ origin: "weather", text: `sun in ${String(config["city"])}` }] }),
      },
    });
    expect(await desk.assemble()).toMatchObject({
      ok: true,
      value: { fragments: [{ text: "sun in Rome", trust: "untrusted" }] },
    });
  });

  test("an unknown name fails closed before anything is read, whatever on_error says", async () => {
    const desk = attentionDesk({ templates: [{ pipeline: [file("a.md"), ...pipeline] }], files: { "a.md": "A" } });
    expect(await desk.assemble()).toMatchObject({
      ok: false,
      error: { code: "CONFIG_INVALID", message: expect.stringContaining("weather") },
    });
    expect(desk.files.reads).toEqual([]);
  });

  test("one that throws is an error of the stage; one that never answers ends with the time limit", async () => {
    const thrown = attentionDesk({
      templates: [{ pipeline }],
      custom: { weather: () => Promise.reject(new Error("no sky")) },
    });
    expect(await thrown.assemble()).toMatchObject({
      ok: true,
      value: { outcome: "empty", warnings: [expect.stringContaining("no sky")] },
    });
    const silent = attentionDesk({
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

describe("limits", () => {
  const files = { "a.md": "a".repeat(400), "b.md": "b".repeat(400), "c.md": "c".repeat(400) };
  const pipeline = [file("a.md"), file("b.md"), file("c.md")];

  test.each([
    ["max_queries", { max_queries: 2 }],
    ["max_tokens", { max_tokens: 400 }],
  ] as const)("%s: fail is the resting state", async (limit, limits) => {
    const desk = attentionDesk({ files, templates: [{ pipeline, limits }] });
    expect(await desk.assemble()).toMatchObject({ ok: false, error: { code: "ATTENTION_LIMIT", details: { limit } } });
    expect(desk.trace()).toMatchObject({ outcome: "failed", error: { code: "ATTENTION_LIMIT" } });
  });

  test.each([{ max_queries: 2 }, { max_tokens: 400 }])(
    "%o: return_partial gives what fits and says so",
    async (limits) => {
      const desk = attentionDesk({ files, templates: [{ pipeline, limits, on_limit: "return_partial" }] });
      const assembled = await desk.assemble();
      expect(assembled).toMatchObject({
        ok: true,
        value: { outcome: "partial", fragments: [{}, {}], warnings: [expect.stringContaining("partial")] },
      });
    },
  );

  test("time: nobody is asked after it is up", async () => {
    const slow = {
      slow: async () => {
        desk.clock.advance(2_000);
        return ok({ fragments: [{ origin: "slow", text: "late" }] });
      },
    };
    const desk = attentionDesk({
      files,
      custom: slow,
      templates: [{ pipeline: [{ type: "custom", handler: "slow" }, ...pipeline], on_limit: "return_partial" }],
    });
    expect(await desk.assemble()).toMatchObject({ ok: true, value: { outcome: "partial" } });
    expect(desk.files.reads).toEqual([]);
    expect(desk.trace().stages.map(({ status }) => status)).toEqual(["limited", "limited", "limited", "limited"]);
  });

  test("use_cached gives the last whole context of the same order, and fails without one", async () => {
    let broken = false;
    const desk = attentionDesk({
      files,
      templates: [{ pipeline: [file("a.md"), { type: "custom", handler: "slow" }], on_limit: "use_cached" }],
      custom: {
        slow: async () => {
          if (broken) desk.clock.advance(5_000);
          return ok({ fragments: [] });
        },
      },
    });
    const first = await desk.assemble();
    broken = true;
    const second = await desk.assemble();
    expect(first.ok && second.ok && second.value.context_hash === first.value.context_hash).toBe(true);
    expect(second).toMatchObject({ ok: true, value: { outcome: "cached" } });
    expect(desk.trace()).toMatchObject({ outcome: "cached", cached_from: desk.recorder.session_id });
    expect(await desk.assemble({ work_order_id: "WO-20261115-999" })).toMatchObject({
      ok: false,
      error: { code: "ATTENTION_LIMIT" },
    });
    expect(await desk.assemble({ max_tokens: 10 })).toMatchObject({ ok: false, error: { code: "ATTENTION_LIMIT" } });
  });

  test("a caller that gives up gets CANCELED, not a partial context", async () => {
    const desk = attentionDesk({ files, templates: [{ pipeline, on_limit: "return_partial" }] });
    expect(await desk.assemble({}, AbortSignal.abort())).toMatchObject({ ok: false, error: { code: "CANCELED" } });
  });

  test("the token budget is never exceeded, whatever the texts and the policy", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 1, maxLength: 600, unit: "grapheme" }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 900 }),
        fc.constantFrom("return_partial" as const, "fail" as const, "use_cached" as const),
        fc.option(fc.integer({ min: 1, max: 900 }), { nil: undefined }),
        async (texts, max_tokens, on_limit, stageTokens) => {
          const desk = attentionDesk({
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
          const assembled = await desk.assemble();
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
    expect(await attentionDesk({ templates: [{ ...empty, on_empty: "fail" }] }).assemble()).toMatchObject({
      ok: false,
      error: { code: "ATTENTION_EMPTY" },
    });
    expect(await attentionDesk({ templates: [{ ...empty, on_empty: "proceed" }] }).assemble()).toMatchObject({
      ok: true,
      value: { outcome: "empty", text: "" },
    });
    const withFallback = (pipeline: ReturnType<typeof file>[]) =>
      attentionDesk({
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
    const desk = attentionDesk({
      templates: [{ pipeline: [file("a.md")], applies_to: { agent_class: ["ADMIN"] } }],
      files: { "a.md": "A" },
    });
    expect(await desk.assemble()).toMatchObject({ ok: true, value: { template_id: null, fragments: [], text: "" } });
    expect(desk.trace()).toMatchObject({ template_id: null, outcome: "empty" });
  });
});

describe("the prompt contract", () => {
  const contract = (required_context: object) => ({ contract_id: "PRC-1", required_context });

  test("its stages run besides the template's and cannot be halted away or squeezed out", async () => {
    const desk = attentionDesk({
      files: { "a.md": "a".repeat(400), "must.md": "m".repeat(400) },
      templates: [
        {
          pipeline: [file("a.md"), { type: "halting", min_fragments: 0 }],
          limits: { max_tokens: 250 },
          on_limit: "return_partial",
        },
      ],
    });
    const assembled = await desk.assemble({ contract: contract({ stages: [file("must.md")] }) });
    expect(assembled).toMatchObject({ ok: true, value: { fragments: [{ origin: "file:must.md", required: true }] } });
    expect(desk.trace()).toMatchObject({
      contract_id: "PRC-1",
      stages: [{ from: "contract" }, { from: "template" }, { status: "halted" }],
    });
  });

  test("too few fragments are a failure, and the lower of two token limits holds", async () => {
    const options = { files: { "a.md": "a".repeat(2000) }, templates: [{ pipeline: [file("a.md")] }] };
    expect(await attentionDesk(options).assemble({ contract: contract({ min_fragments: 2 }) })).toMatchObject({
      ok: false,
      error: { code: "ATTENTION_EMPTY" },
    });
    expect(await attentionDesk(options).assemble({ contract: contract({ max_tokens: 100 }) })).toMatchObject({
      ok: false,
      error: { code: "ATTENTION_LIMIT" },
    });
  });
});

describe("the trace", () => {
  test("tells what each stage asked, found, kept and dropped, and holds no text", async () => {
    const desk = attentionDesk({
      files: { "a.md": "Very private words" },
      templates: [{ pipeline: [file("a.md", { name: "project" })], version: "2.1.0" }],
    });
    const assembled = await desk.assemble();
    expect(desk.trace()).toMatchObject({
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
    expect(assembled.ok && assembled.value.context_hash).toBe(desk.trace().context_hash);
    expect(JSON.stringify(desk.recorder.events)).not.toContain("private");
  });

  test("a failing stage is skipped only where it says so, and the error is in the trace", async () => {
    const ledgers = { search: async () => err(domainError("STORE_UNAVAILABLE", "no disk")) };
    const ask = (on_error: "skip" | "fail") =>
      attentionDesk({ ledgers, templates: [{ pipeline: [{ type: "ledger_query", sessions: "all", on_error }] }] });
    const skipping = ask("skip");
    expect(await skipping.assemble()).toMatchObject({ ok: true });
    expect(skipping.trace().stages[0]).toMatchObject({ status: "skipped", note: "STORE_UNAVAILABLE: no disk" });
    expect(await ask("fail").assemble()).toMatchObject({ ok: false, error: { code: "STORE_UNAVAILABLE" } });
  });

  test("what is redacted is redacted before it is hashed and shown", async () => {
    const desk = attentionDesk({
      files: { "a.md": "key sk-123" },
      templates: [{ pipeline: [file("a.md")] }],
      redact: (text) => text.replaceAll("sk-123", "[gone]"),
    });
    const assembled = await desk.assemble();
    expect(assembled.ok && assembled.value.text).not.toContain("sk-123");
    expect(assembled.ok && assembled.value.fragments[0]?.text).toBe("key [gone]");
  });
});
