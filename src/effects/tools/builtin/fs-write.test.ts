import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { sha256 } from "#core/values";
import { builtinBench } from "../../../../test/support/builtin-bench.ts";
import { scopeOf, valueOf } from "../../../../test/support/tool-bench.ts";
import { workspaceWith } from "../../../../test/support/workspace.ts";
import { dispatch } from "../dispatch.ts";

const write = (path: string, content: string, expected_hash: string) => ({
  path,
  content,
  expected_hash,
  why: "a test",
});
/** What lies in a folder, the turns' own place on the planes apart. */
const names = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name !== "planes")
    .sort();

describe("the expected hash", () => {
  test("that matches lets the write through, and the result carries the claim", async () => {
    const root = workspaceWith({ "docs/a.md": "old" });
    const bench = builtinBench(root);
    const result = await bench.give("fs.write", write("docs/a.md", "new", sha256("old")));
    const claim = { who: "worker", why: "a test", expected_hash: sha256("old"), schema_version: "v1" };
    expect(result).toEqual({ path: "docs/a.md", hash: sha256("new"), bytes: 3, created: false, claim });
    expect(shippedRegistry().validate("write_claim_v1", result["claim"]).ok).toBe(true);
    expect(readFileSync(join(root, "docs/a.md"), "utf8")).toBe("new");
    expect(names(join(root, "docs"))).toEqual(["a.md"]);
  });

  test("that is stale is WRITE_CONFLICT with the present hash, and nothing changes", async () => {
    const root = workspaceWith({ "a.md": "theirs" });
    const bench = builtinBench(root);
    const outcome = await bench.use("fs.write", write("a.md", "mine", sha256("old")));
    expect(outcome).toMatchObject({ isError: true, error: { code: "WRITE_CONFLICT" } });
    expect(outcome.content).toMatchObject({
      error: { details: { current_hash: sha256("theirs"), expected_hash: sha256("old") } },
    });
    expect(readFileSync(join(root, "a.md"), "utf8")).toBe("theirs");
    expect(names(root)).toEqual(["a.md"]);
  });

  test("that is empty means that the file must not exist", async () => {
    const root = workspaceWith({ "a.md": "there", "empty.md": "" });
    const bench = builtinBench(root);
    for (const path of ["a.md", "empty.md"]) {
      const outcome = await bench.use("fs.write", write(path, "mine", ""));
      expect(outcome.error?.code).toBe("WRITE_CONFLICT");
    }
    expect(await bench.give("fs.write", write("new.md", "mine", ""))).toMatchObject({ created: true });
    expect(readFileSync(join(root, "new.md"), "utf8")).toBe("mine");
    expect(names(root)).toEqual(["a.md", "empty.md", "new.md"]);
  });

  test("of a file that is gone is a conflict, and the file stays gone", async () => {
    const root = workspaceWith();
    const outcome = await builtinBench(root).use("fs.write", write("a.md", "mine", sha256("old")));
    expect(outcome).toMatchObject({
      error: { code: "WRITE_CONFLICT" },
      content: { error: { details: { current_hash: "" } } },
    });
    expect(names(root)).toEqual([]);
  });

  test("cannot be left out or be anything else", async () => {
    const bench = builtinBench(workspaceWith({ "a.md": "old" }));
    for (const args of [
      { path: "a.md", content: "x", why: "y" },
      write("a.md", "x", "abc"),
      { ...write("a.md", "x", sha256("old")), expected_hash: null },
      { ...write("a.md", "x", sha256("old")), why: "" },
      { ...write("a.md", "x", sha256("old")), who: "the chief" },
    ]) {
      const result = await bench.call("fs.write", args);
      expect(result).toMatchObject({ ok: false, error: { code: "SCHEMA_VIOLATION" } });
    }
  });

  test("is of the bytes: an empty file has a hash like any other", async () => {
    const root = workspaceWith({ "empty.md": "" });
    expect(await builtinBench(root).give("fs.write", write("empty.md", "ü", sha256("")))).toMatchObject({
      bytes: 2,
      hash: sha256("ü"),
    });
  });
});

test("a write is a turn: one declared output, committed, and evidence that says who held it", async () => {
  const root = workspaceWith({ "docs/a.md": "old" });
  const bench = builtinBench(root, { allowedFiles: ["docs/**"] });
  await bench.give("fs.write", write("docs/a.md", "new", sha256("old")));
  expect(bench.types()).toEqual(["tool.invoke", "turn.started", "turn.committed", "tool.result", "tool.output"]);
  expect(bench.recorder.of("turn.started")[0]).toMatchObject({
    handler: "function",
    work_order_id: "WO-20261115-001",
    declared_outputs: [{ path: "docs/a.md", folder: false, action: "write" }],
    isolation: { tier: "T0", backend: "in_process", layers: ["private_layer"], self_test: "not_run" },
    capabilities: [{ operation: "write", subject: "docs/a.md", allowed: true }],
  });
  expect(bench.recorder.of("turn.committed")[0]?.outputs).toEqual([
    { path: "docs/a.md", sha256: sha256("new"), bytes: 3, change: "change", mode: 0o644 },
  ]);
  await bench.use("fs.write", write("docs/a.md", "late", sha256("old")));
  expect(bench.recorder.of("turn.failed")[0]).toMatchObject({ code: "WRITE_CONFLICT" });
});

describe("what a write leaves alone", () => {
  test("a file keeps its mode, a new folder is made for a new file only", async () => {
    const root = workspaceWith({ "run.sh": "old" });
    chmodSync(join(root, "run.sh"), 0o750);
    const bench = builtinBench(root);
    await bench.give("fs.write", write("run.sh", "new", sha256("old")));
    expect(statSync(join(root, "run.sh")).mode & 0o7777).toBe(0o750);
    await bench.give("fs.write", write("a/b/c.md", "x", ""));
    expect(readFileSync(join(root, "a/b/c.md"), "utf8")).toBe("x");
    expect((await bench.use("fs.write", write("d/e.md", "x", sha256("y")))).error?.code).toBe("WRITE_CONFLICT");
    expect(existsSync(join(root, "d"))).toBe(false);
  });

  test.each([
    "writ.yaml",
    "planes/ho1/x",
    "hooks/new.sh",
    "skills/evil/SKILL.md",
    ".git/hooks/pre-commit",
    "AGENTS.md",
    "sub/AGENTS.md",
    ".mcp.json",
    "package.json",
    "node_modules/.bin/x",
    "WRIT.yaml",
    "Planes/x",
    "pla\u200bnes/x",
    "ｈooks/x.sh",
    "../x",
    "/tmp/x",
    "docs/../writ.yaml",
    "docs\\x",
    "a\u0000b",
    "",
    ".",
    "e\u0301.md",
    "invoice\u202etxt.exe",
  ])("%j, though the rights name everything", async (path) => {
    const root = workspaceWith();
    const result = await builtinBench(root).call("fs.write", write(path, "planted", ""), {
      scope: scopeOf(["*"]),
    });
    expect(result.ok ? result.value.error?.code : result.error.code).toBe(
      path === "" ? "SCHEMA_VIOLATION" : "CAPABILITY_VIOLATION",
    );
    expect(names(root)).toEqual([]);
  });

  test("whatever the rights do not name, and everything without rights", async () => {
    const root = workspaceWith({ "src/a.ts": "x" });
    const bench = builtinBench(root, { allowedFiles: ["docs/**"] });
    const outcome = await bench.use("fs.write", write("src/a.ts", "y", sha256("x")));
    expect(outcome.error).toMatchObject({ code: "CAPABILITY_VIOLATION" });
    expect(outcome.error?.message).toContain("docs/**");
    expect((await builtinBench(root, { allowedFiles: [] }).use("fs.write", write("b.md", "y", ""))).error?.code).toBe(
      "CAPABILITY_VIOLATION",
    );
    await bench.give("fs.write", write("docs/.hidden/a.md", "y", ""));
  });

  test("a path that only one of the grants names, or none", async () => {
    const root = workspaceWith();
    const bench = builtinBench(root);
    const tryWith = async (order: string[], framework?: string[]) => {
      const bounds = scopeOf(["*"], { rights: { write: order } });
      const further = { document: "the framework", lists: [{ path: "", patterns: framework ?? [] }] };
      const scope = framework ? { ...bounds, mandate: bounds.mandate.narrowed({ write: [further] }) } : bounds;
      const called = await bench.call("fs.write", write("docs/a.md", "x", ""), { scope });
      return called.ok ? called.value.error : called.error;
    };
    const order = ["docs/**"];
    const framework = ["src/**"];
    expect(await tryWith(order, framework)).toMatchObject({ code: "CAPABILITY_VIOLATION" });
    expect((await tryWith(order, framework))?.message).toContain("the framework names src/**");
    expect(await tryWith(order, [])).toMatchObject({ code: "CAPABILITY_VIOLATION" });
    expect(await tryWith([])).toMatchObject({ code: "CAPABILITY_VIOLATION" });
    expect(names(root)).toEqual([]);
    expect(await tryWith(order, ["**/*.md"])).toBeUndefined();
  });

  test("folders and what is no ordinary file", async () => {
    const root = workspaceWith({ "docs/a.md": "x" });
    const bench = builtinBench(root);
    for (const expected of ["", sha256("x")])
      expect((await bench.use("fs.write", write("docs", "y", expected))).isError).toBe(true);
    expect(lstatSync(join(root, "docs")).isDirectory()).toBe(true);
  });
});

describe("symbolic links", () => {
  test.each(["linked/b/c/a.md", "a/linked/c/a.md", "a/b/linked/a.md", "a/b/c/linked.md"])(
    "in %s: refused, nothing outside changes",
    async (path) => {
      for (const expected of ["", sha256("victim")]) {
        const outside = workspaceWith({ "b/c/a.md": "victim", "c/a.md": "victim", "a.md": "victim" });
        const root = workspaceWith({ "a/b/c/keep.md": "x" });
        const parts = path.split("/");
        const at = parts.findIndex((part) => part.startsWith("linked"));
        const target = at === 3 ? join(outside, "a.md") : outside;
        symlinkSync(target, join(root, ...parts.slice(0, at + 1)));
        const outcome = await builtinBench(root).use("fs.write", write(path, "planted", expected));
        expect(outcome.error?.code).toBe("CAPABILITY_VIOLATION");
        for (const file of ["b/c/a.md", "c/a.md", "a.md"])
          expect(readFileSync(join(outside, file), "utf8")).toBe("victim");
        expect(lstatSync(join(root, ...parts.slice(0, at + 1))).isSymbolicLink()).toBe(true);
      }
    },
  );

  test("that lead nowhere are not filled in", async () => {
    const outside = workspaceWith();
    const root = workspaceWith();
    symlinkSync(join(outside, "new.md"), join(root, "a.md"));
    symlinkSync(join(outside, "folder"), join(root, "docs"));
    const bench = builtinBench(root);
    for (const path of ["a.md", "docs/a.md"])
      expect((await bench.use("fs.write", write(path, "x", ""))).error?.code).toBe("CAPABILITY_VIOLATION");
    expect(names(outside)).toEqual([]);
  });

  test("a hard link is replaced by name: the other name keeps its content", async () => {
    const root = workspaceWith({ "a.md": "x" });
    const { linkSync } = await import("node:fs");
    linkSync(join(root, "a.md"), join(root, "other.md"));
    await builtinBench(root).give("fs.write", write("a.md", "y", sha256("x")));
    expect(readFileSync(join(root, "other.md"), "utf8")).toBe("x");
  });
});

describe("writers at the same time", () => {
  test("twenty with the same expected hash: exactly one wins", async () => {
    const root = workspaceWith({ "a.md": "old" });
    const bench = builtinBench(root);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => bench.use("fs.write", write("a.md", `writer ${index}`, sha256("old")))),
    );
    const winners = outcomes.flatMap((outcome, index) => (outcome.isError ? [] : [index]));
    expect(winners).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome.error?.code === "WRITE_CONFLICT")).toHaveLength(19);
    expect(readFileSync(join(root, "a.md"), "utf8")).toBe(`writer ${winners[0]}`);
    expect(names(root)).toEqual(["a.md"]);
  });

  test("twenty that create the same file: exactly one does, whatever the case of its name", async () => {
    const root = workspaceWith();
    const bench = builtinBench(root);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => bench.use("fs.write", write("d/a.md", `writer ${index}`, ""))),
    );
    expect(outcomes.filter((outcome) => !outcome.isError)).toHaveLength(1);
    expect(names(join(root, "d"))).toEqual(["a.md"]);
  });

  test("a folder that is moved away before the commit is noticed", async () => {
    const root = workspaceWith({ "docs/a.md": "old" });
    const { renameSync } = await import("node:fs");
    const failpoint = (name: string) => {
      if (name !== "turn.ran") return;
      renameSync(join(root, "docs"), join(root, "moved"));
      mkdirSync(join(root, "docs"));
      writeFileSync(join(root, "docs/a.md"), "other");
    };
    const bench = builtinBench(root, { failpoint });
    expect((await bench.use("fs.write", write("docs/a.md", "new", sha256("old")))).error?.code).toBe("WRITE_CONFLICT");
    expect(readFileSync(join(root, "docs/a.md"), "utf8")).toBe("other");
    expect(readFileSync(join(root, "moved/a.md"), "utf8")).toBe("old");
    expect(names(join(root, "moved"))).toEqual(["a.md"]);
  });

  test("a file that changes between the first look and the commit is a conflict", async () => {
    const root = workspaceWith({ "a.md": "old" });
    const failpoint = (name: string) => {
      if (name === "turn.ran") writeFileSync(join(root, "a.md"), "theirs");
    };
    const outcome = await builtinBench(root, { failpoint }).use("fs.write", write("a.md", "new", sha256("old")));
    expect(outcome.error?.code).toBe("WRITE_CONFLICT");
    expect(readFileSync(join(root, "a.md"), "utf8")).toBe("theirs");
  });
});

describe("a write repeated after a crash", () => {
  test("recognises its own work; a first call does not take a stranger's for it", async () => {
    const root = workspaceWith({ "a.md": "new" });
    const bench = builtinBench(root);
    const args = write("a.md", "new", sha256("old"));
    expect((await bench.use("fs.write", args)).error?.code).toBe("WRITE_CONFLICT");
    const [invoke] = bench.recorder.of("tool.invoke");
    const call = { id: String(invoke?.call_id), name: "fs.write", args };
    const scope = scopeOf(["*"]);
    const again = await dispatch(call, scope, { ...bench.deps, recorded: () => ({ invoke: invoke as never }) });
    expect(valueOf(again)).toMatchObject({ isError: false, content: { hash: sha256("new") } });
  });
});
