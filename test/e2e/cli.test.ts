import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cli } from "../support/cli.ts";
import { writ as tell, writJson as tellJson } from "../support/resident-writ.ts";
import { repository, writ, writJson } from "../support/writ.ts";

const place = mkdtempSync(join(tmpdir(), "writ-cli-"));
const workspace = join(place, "workspace");
beforeAll(() => writ(["init", workspace]));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const escape = "\u001b[";

describe("version and help", () => {
  test("--version prints the package's version and nothing else", async () => {
    const { version } = (await import("../../package.json", { with: { type: "json" } })).default;
    for (const flag of ["--version", "-V", "-v"])
      expect(await writ([flag])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
    expect(await writ(["--version", "--json"])).toMatchObject({ status: 0, stdout: `${version}\n` });
  });

  test("--help goes to stdout, groups the commands and shows examples", async () => {
    const { status, stdout, stderr } = await writ(["--help"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const text of ["Workspace:", "Contracts:", "Examples:", "$ writ init demo", "Exit status:"])
      expect(stdout).toContain(text);
  });

  test("every command, and every command below it, explains itself with an example", async () => {
    const { stdout } = await writ(["--help"]);
    const names = (text: string) =>
      [...text.matchAll(/^ {2}([a-z][a-z-]*)(?: \[?[<[a-z].*)? {2,}/gm)]
        .map(([, name = ""]) => name)
        .filter((name) => name !== "help");
    expect(names(stdout)).toEqual(expect.arrayContaining(["init", "config", "doctor", "schema"]));
    for (const name of names(stdout)) {
      const help = await cli(place, name, "--help"); // in this process: a hundred starts took longer than all the rest here
      expect(help.status, name).toBe(0);
      const below = /^Commands:/m.test(help.stdout) ? names(help.stdout.slice(help.stdout.indexOf("Commands:"))) : [];
      expect(help.stdout, name).toMatch(/Examples?:/);
      for (const inner of below)
        expect((await cli(place, name, inner, "--help")).stdout, `${name} ${inner}`).toMatch(/Examples?:/);
    }
  });

  test("without a command the help is shown, and the status says that nothing was asked", async () => {
    expect(await writ([])).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("Usage: writ") });
    expect(await writ(["config"])).toMatchObject({ status: 2, stderr: expect.stringContaining("show") });
  });
});

describe("wrong usage exits 2", () => {
  test.each([
    ["an unknown command", ["no-such-command"], "unknown command"],
    ["a misspelt command", ["dcotor"], "did you mean `writ doctor`?"],
    ["help for an unknown command", ["no-such-command", "--help"], "unknown command"],
    ["what other programs call --version", ["version"], "did you mean `writ --version`?"],
    ["an unknown command below a known one", ["config", "shwo"], "show"],
    ["an unknown option", ["doctor", "--loud"], "unknown option"],
    ["a missing argument", ["schema", "validate", "plan_v1"], "missing required argument"],
    ["a request that an option took", ["run", "--allow", "src/**", "mend it"], "--allow takes every word behind it"],
    ["an argument too many", ["doctor", "now"], "too many arguments"],
    ["an unknown schema", ["schema", "validate", "paln_v1", "x.json"], "plan_v1"],
    ["a file that is not there", ["schema", "validate", "plan_v1", "nowhere.json"], "nowhere.json"],
    ["--root without a folder", ["doctor", "--root"], "argument missing"],
    ["a --root that is no workspace", ["doctor", "--root", place], "writ init"],
  ])("%s", async (_, args, said) => {
    const { status, stdout, stderr } = await writ(args, { cwd: place });
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  });

  test("with --json the same is one document on stdout, and the words stay on stderr", async () => {
    const { status, json, stderr } = await writJson<{ error: { code: string; kind: string } }>(["no-such-command"]);
    expect(status).toBe(2);
    expect(json.error).toMatchObject({ code: "MALFORMED_INPUT", kind: "input" });
    expect(stderr).toContain("unknown command");
  });
});

test("a worker's module that cannot be parsed is answered with what shows the line", async () => {
  writeFileSync(join(place, "open.mjs"), "export const handlers = {");
  expect(await tell(["worker", "--module", join(place, "open.mjs")], { cwd: workspace })).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/cannot load .*open\.mjs: Unexpected end[^]*mend .*node --check/),
  });
});

test("a pipe that nobody writes to is refused at once wherever a file is named", async () => {
  const pipe = join(place, "pipe.yaml");
  execFileSync("mkfifo", [pipe]);
  const { json } = await tellJson<{ session_id: string }>(["run", "greet Ada"], { cwd: workspace });
  await tell(["runs", "start", "--app", "writer", "--objective", "o"], { cwd: workspace });
  for (const args of [
    ["session", "verify", "--all", "--checkpoint", pipe],
    ["session", "fork", json.session_id, "--at", "5", "--edit", pipe],
    ["runs", "patch", "last", "--file", pipe, "--actor", "ada"],
    ["eval", pipe],
    ["flow", "run", pipe],
  ])
    expect(await tell(args, { cwd: workspace }), args.join(" ")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("no regular file"),
    });
});

describe("the workspace", () => {
  test("is the nearest folder above that has a writ.yaml", async () => {
    const deep = join(workspace, "skills", "a", "b");
    mkdirSync(deep, { recursive: true });
    const { status, json } = await tellJson<{ file: string }>(["config", "show"], { cwd: deep });
    expect({ status, file: json.file }).toEqual({ status: 0, file: join(workspace, "writ.yaml") });
  });

  test("--root names it from anywhere, relative or absolute, before or after the command", async () => {
    for (const args of [
      ["config", "show", "--root", workspace],
      ["--root", workspace, "config", "show"],
      ["config", "show", `--root=${workspace}`],
    ])
      expect((await tell(args, { cwd: "/" })).status).toBe(0);
    expect((await tell(["config", "show", "--root", "workspace"], { cwd: place })).status).toBe(0);
  });

  test("with a file in its records' place is told as that, with the way out, by whoever writes and whoever looks", async () => {
    for (const [name, file] of [
      ["file-for-planes", "planes"],
      ["file-for-sessions", "planes/ho1/sessions"],
    ] as const) {
      const root = join(place, name);
      await tell(["init", root]);
      rmSync(join(root, file), { recursive: true, force: true });
      writeFileSync(join(root, file), "");
      for (const args of [
        ["run", "hello"],
        ["session", "list"],
        ["session", "verify", "--all"],
        ["runs", "list"],
      ])
        expect(await tellJson(args, { cwd: root }), `${name}: ${args.join(" ")}`).toMatchObject({
          status: 1,
          json: { error: { code: "LEDGER_UNAVAILABLE", message: expect.stringContaining(join(root, file)) } },
          stderr: expect.stringMatching(/mend +move it away/),
        });
    }
  });

  test("in a folder that somebody removed it says so, in words", async () => {
    const gone = join(place, "gone");
    const line = `mkdir '${gone}' && cd '${gone}' && rmdir '${gone}' && exec "$0" "$1" init`;
    const env = { PATH: process.env["PATH"], HOME: place };
    const child = spawn("/bin/sh", ["-c", line, process.execPath, `${repository}bin/writ.js`], { env });
    let said = "";
    child.stderr.on("data", (piece: Buffer) => (said += piece.toString()));
    const status = await new Promise((resolve) => child.once("close", resolve));
    expect(said).toMatch(/^writ: the folder that you are in is no longer there\n/);
    expect(status).toBe(2);
  });

  test("outside of one a command that needs one exits 2 and says writ init", async () => {
    const { status, stdout, stderr } = await tell(["config", "show"], { cwd: place });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("writ init");
    expect(stderr).toContain("WORKSPACE_NOT_FOUND");
  });
});

describe("what is printed", () => {
  test("a pipe gets no colours; FORCE_COLOR brings them, NO_COLOR wins", async () => {
    const doctor = (env: Record<string, string>) => writ(["doctor", "--root", workspace], { env });
    expect((await doctor({})).stdout).not.toContain(escape);
    expect((await doctor({ FORCE_COLOR: "1" })).stdout).toContain(escape);
    expect((await doctor({ FORCE_COLOR: "1", NO_COLOR: "1" })).stdout).not.toContain(escape);
    expect((await writ(["nonsense"], { env: { NO_COLOR: "1", FORCE_COLOR: "1" } })).stderr).not.toContain(escape);
  });

  test("a terminal that asks for ASCII gets ASCII", async () => {
    const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text);
    for (const env of [{ LANG: "C" }, { TERM: "dumb" }, { LC_ALL: "POSIX", LANG: "en_US.UTF-8" }])
      expect(isAscii((await tell(["doctor", "--root", workspace], { env })).stdout)).toBe(true);
    expect((await tell(["doctor", "--root", workspace], { env: { LANG: "en_US.UTF-8" } })).stdout).toContain("✓");
  });

  test("--json prints exactly one document, whatever the command", async () => {
    for (const args of [
      ["doctor"],
      ["config", "show"],
      ["config", "show", "--changed"],
      ["schema", "list"],
      ["init", workspace],
    ]) {
      const { stderr } = await writJson([...args, "--root", workspace]);
      expect(stderr, args.join(" ")).toBe("");
    }
  });

  test("a reader that has seen enough ends the command quietly", async () => {
    const child = spawn(
      "sh",
      ["-c", `"${process.execPath}" "${repository}bin/writ.js" config show --root "${workspace}" | head -n 1`],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    let said = "";
    child.stderr.on("data", (text: Buffer) => (said += text.toString()));
    await new Promise((resolve) => child.on("close", resolve));
    expect(said).toBe("");
  });

  describe("work does not hang on who looks at it", () => {
    const root = join(place, "unseen");
    /** Runs a command line of the shell in which `writ` is ours; answers what it said on stderr. */
    const shell = async (line: string): Promise<string> => {
      const script = `writ() { "${process.execPath}" "${repository}bin/writ.js" "$@" --root "${root}"; }\n${line}`;
      const child = spawn("sh", ["-c", script], { stdio: ["ignore", "ignore", "pipe"] });
      let said = "";
      child.stderr.on("data", (text: Buffer) => (said += text.toString()));
      await new Promise((resolve) => child.on("close", resolve));
      return said;
    };
    beforeAll(() => tell(["init", root]));

    test("a request goes on when its reader has left, and ends as itself", async () => {
      expect(await shell("{ writ run 'greet Ada'; echo $? >&2; } | true")).toBe("0\n");
      const { json } = await tellJson<{ sessions: { status: string }[] }>(["session", "list"], { cwd: root });
      expect(json.sessions).toMatchObject([{ status: "success" }]);
    });

    test("a verdict is the same whether somebody reads it or not", async () => {
      const [id = ""] = readdirSync(join(root, "planes/ho1/sessions"));
      writeFileSync(join(root, "planes/ho1/sessions", id, ".events.jsonl"), "");
      expect(await shell("{ writ session verify --all; echo $? >&2; } | true")).toBe("1\n");
    });

    test("an answer that finds no room is a failure in words", async () => {
      const said = await shell("writ session list >/dev/full; echo $? >&2");
      expect(said).toMatch(/^writ: the answer could not be written: ENOSPC.*\n1\n$/);
      expect(await shell("writ nonsense 2>/dev/full; s=$?; echo $s >&2")).toBe("2\n");
    });
  });

  test("a stack trace is shown with --debug only", async () => {
    const args = ["schema", "validate", "event_v1", join(place, "absent.json")];
    expect((await writ(args)).stderr).not.toMatch(/^\s+at |ENOENT/m);
    expect((await writ([...args, "--debug"])).stderr).toContain("ENOENT");
  });
});

describe("Ctrl-C", () => {
  test("ends a command that waits, with 130, and what it started goes with it", async () => {
    const bin = mkdtempSync(join(place, "bin-"));
    // A git that says who it is and then hangs.
    writeFileSync(join(bin, "git"), `#!/bin/sh\necho $$ > "${bin}/pid"\nexec sleep 300\n`, { mode: 0o755 });
    const child = spawn(process.execPath, [join(repository, "bin/writ.js"), "doctor"], {
      cwd: place,
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}` },
      stdio: "ignore",
    });
    const pidFile = join(bin, "pid");
    await expect.poll(() => (existsSync(pidFile) ? readFileSync(pidFile, "utf8") : "")).toMatch(/\d+\n/);
    child.kill("SIGINT");
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(130);
    const pid = Number(readFileSync(pidFile, "utf8"));
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });
});

test.each([
  ["an exception", "throw new Error('stray')"],
  ["a rejection", "void Promise.reject(new Error('stray'))"],
])("%s that nobody awaited is told in words, and ends the command with 1", async (_, stray) => {
  // Goes astray as soon as the command line listens for such things, and not before.
  const script = `process.on("newListener", (name) => { if (name === "uncaughtException") setImmediate(() => { ${stray} }) })`;
  const preload = `data:text/javascript,${encodeURIComponent(script)}`;
  const child = spawn(process.execPath, ["--import", preload, join(repository, "bin/writ.js"), "doctor"], {
    cwd: place,
  });
  let said = "";
  child.stderr.on("data", (text: Buffer) => (said += text.toString()));
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(1);
  expect(said).toContain("defect of Writ");
  expect(said).not.toContain("    at ");
});

describe("the launcher", () => {
  test("without dist/ it says how to build, and still knows its version", async () => {
    const copy = mkdtempSync(join(place, "launcher-"));
    mkdirSync(join(copy, "bin"));
    for (const file of ["bin/writ.js", "package.json"]) cpSync(join(repository, file), join(copy, file));
    const start = (...args: string[]) =>
      new Promise<{ status: number | null; said: string }>((resolve) => {
        const child = spawn(process.execPath, [join(copy, "bin/writ.js"), ...args]);
        let said = "";
        for (const stream of [child.stdout, child.stderr])
          stream.on("data", (text: Buffer) => (said += text.toString()));
        child.on("close", (status) => resolve({ status, said }));
      });
    expect(await start("--version")).toMatchObject({ status: 0 });
    expect(await start("doctor")).toMatchObject({ status: 2, said: expect.stringContaining("npm run build") });
  });

  test("an old Node is told which one is needed", async () => {
    const pretend = `data:text/javascript,${encodeURIComponent('Object.defineProperty(process.versions, "node", { value: "18.20.0" })')}`;
    const child = spawn(process.execPath, ["--import", pretend, join(repository, "bin/writ.js"), "doctor"]);
    let said = "";
    child.stderr.on("data", (text: Buffer) => (said += text.toString()));
    const status = await new Promise((resolve) => child.on("close", resolve));
    expect(status).toBe(2);
    expect(said).toContain("20.19");
  });
});
