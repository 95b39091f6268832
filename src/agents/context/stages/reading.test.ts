import { describe, expect, test } from "vitest";
import { attentionHarness, endedSession } from "../../../../test/support/attention.ts";

const file = (path: string, more: object = {}) => ({ type: "file_read" as const, paths: [path], ...more });

describe("what is read", () => {
  test("a file is read whole, with its hash, and is untrusted", async () => {
    const harness = attentionHarness({
      templates: [{ pipeline: [file("<context_files>")] }],
      files: { "AGENTS.md": "Use tabs." },
    });
    const assembled = await harness.assemble();
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
      const harness = attentionHarness({ templates: [{ pipeline: [file(path)] }], files: { [path]: "secret" } });
      expect(await harness.assemble()).toMatchObject({ ok: false, error: { code: "CAPABILITY_VIOLATION" } });
      expect(harness.files.reads).toEqual([]);
      expect(harness.trace()).toMatchObject({
        outcome: "failed",
        error: { code: "CAPABILITY_VIOLATION" },
        fragments: [],
      });
    },
  );

  test("a link is not followed, neither as the file nor on the way to it", async () => {
    const harness = attentionHarness({ templates: [{ pipeline: [file("a/b.md")] }] });
    harness.files.link("/place/a");
    harness.files.put("/place/a/b.md", "x");
    expect(await harness.assemble()).toMatchObject({ ok: false, error: { code: "CAPABILITY_VIOLATION" } });
  });

  test("a glob takes what matches and leaves secret places out", async () => {
    const harness = attentionHarness({
      templates: [{ pipeline: [file("**/*.md")] }],
      files: { "a.md": "A", "docs/b.md": "B", "planes/ho1/c.md": "C", ".ssh/d.md": "D", "docs/e.txt": "E" },
    });
    const assembled = await harness.assemble();
    expect(assembled.ok && assembled.value.fragments.map(({ origin }) => origin)).toEqual([
      "file:a.md",
      "file:docs/b.md",
    ]);
  });

  test("a file above its size limit is left out and said so", async () => {
    const harness = attentionHarness({
      templates: [{ pipeline: [file("big.md", { max_bytes: 4 })] }],
      files: { "big.md": "12345" },
    });
    const assembled = await harness.assemble();
    expect(assembled).toMatchObject({ ok: true, value: { outcome: "empty" } });
    expect(harness.trace().stages[0]).toMatchObject({ dropped: { refused: 1 }, kept: 0 });
    expect(harness.trace().warnings[0]).toContain("larger than 4 bytes");
  });

  test("a missing file is skipped, or fails the stage where it says so", async () => {
    const pipeline = [file("gone.md")];
    expect(await attentionHarness({ templates: [{ pipeline }] }).assemble()).toMatchObject({ ok: true });
    const strict = [file("gone.md", { missing: "fail" })];
    expect(await attentionHarness({ templates: [{ pipeline: strict }] }).assemble()).toMatchObject({
      ok: false,
      error: { code: "NOT_FOUND" },
    });
  });

  test("registry rows are trusted, filtered and projected; an unknown column is an error", async () => {
    const files = { "registries/teams.csv": "team,city,size\nred,Rome,3\nblue,Oslo,4\n" };
    const ask = (more: object) =>
      attentionHarness({
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
      const harness = attentionHarness({
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
      const assembled = await harness.assemble();
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
    const harness = attentionHarness({
      templates: [
        {
          pipeline: [
            { type: "ledger_query", entry_types: ["session.start"] },
            { type: "ledger_query", sessions: "all" },
          ],
        },
      ],
    });
    await harness.recorder.append({
      type: "session.start",
      actor: "flow",
      payload: { tier: "ho1", work_order_id: "WO-1" },
    });
    const assembled = await harness.assemble();
    expect(assembled.ok && assembled.value.fragments.map(({ origin }) => origin)).toEqual([
      `events:${harness.recorder.session_id}#1`,
    ]);
  });

  test("horizontal search ranks across ledgers, registries and files, and drops what has nothing to do with it", async () => {
    const harness = attentionHarness({
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
    const assembled = await harness.assemble({ prompt: "paint the bridge" });
    if (!assembled.ok) throw new Error(assembled.error.message);
    expect(assembled.value.fragments[0]?.origin).toBe("file:docs/a.md#L1-1");
    const origins = assembled.value.fragments.map(({ origin }) => origin.split(":")[0]);
    expect(new Set(origins)).toEqual(new Set(["file", "events", "registry"]));
    expect(assembled.value.fragments.every(({ score }) => (score ?? 0) > 0)).toBe(true);
    expect(assembled.value.text).not.toContain("Nothing of interest");
    expect(assembled.value.text).not.toContain("bread");
  });
});
