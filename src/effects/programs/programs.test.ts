import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Program, ProgramRights, Programs } from "#core/machine";
import { DisposalStack, systemClock, systemRandom } from "#core/values";
import { configDefaults } from "../../workspace/config/defaults.ts";
import { openPrograms } from "./open-programs.ts";

let folder: string;
let root: string;
let stack: DisposalStack;
let programs: Programs;
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "writ-programs-")));
  root = join(folder, "workspace");
  put("hooks/check.sh", "#!/bin/sh\nsh hooks/beside.sh\n");
  put("hooks/beside.sh", "echo agreed\n");
  put("notes/a.md", "a note\n");
  put(".env", "KEY=1\n");
  chmodSync(join(root, "hooks/check.sh"), 0o755);
  stack = new DisposalStack();
  const { PATH = "" } = process.env;
  programs = openPrograms(
    { root, config: configDefaults, clock: systemClock, random: systemRandom, env: { PATH, SECRET: "s3cret" } },
    stack,
  ).programs;
});
afterEach(async () => {
  await stack.disposeAsync();
  rmSync(folder, { recursive: true, force: true });
});

async function admit(words: readonly string[], rights: ProgramRights = {}): Promise<Program> {
  const admitted = await programs.admit({ where: "hooks.Stop", words, rights });
  if (!admitted.ok) throw new Error(admitted.error.message);
  return admitted.value;
}
async function run(program: Program, ...command: [string, ...string[]]) {
  const ran = await program.run({ command, env: {}, stdin: "in\n", timeoutMs: 20_000, maxOutputBytes: 10_000 });
  if (!ran.ok) throw new Error(`${ran.error.code}: ${ran.error.message}`);
  return ran.value;
}

describe("a program of the workspace", () => {
  test("runs the files as they were when it was admitted, whatever is written to them later", async () => {
    const program = await admit(["hooks/check.sh"]);
    put("hooks/beside.sh", "echo written by an agent\n");
    put("hooks/check.sh", "echo written by an agent\n");
    expect(await run(program, "/bin/sh", "-c", "hooks/check.sh")).toMatchObject({
      end: { kind: "exited", code: 0 },
      stdout: "agreed\n",
      tier: "T3",
    });
  });

  test("sees nothing of the workspace but its own files, has no environment of ours, and what it writes is dropped", async () => {
    const program = await admit(["hooks/check.sh"]);
    const said = await run(
      program,
      "/bin/sh",
      "-c",
      "find . -type f | sort; env | grep -c SECRET; echo x > new; cat; id -u",
    );
    expect(said.stdout).toBe("./hooks/beside.sh\n./hooks/check.sh\n0\nin\n1000\n");
    expect(existsSync(join(root, "new"))).toBe(false);
  });

  test("reads what `read` names, as it is at the moment, and never what holds secrets", async () => {
    const program = await admit(["hooks/check.sh"], { read: ["**"] });
    put("notes/a.md", "changed\n");
    put("hooks/beside.sh", "echo written by an agent\n");
    const said = await run(program, "/bin/sh", "-c", "cat notes/a.md; hooks/check.sh; cat .env planes/hot/programs/*");
    expect(said.stdout).toBe("changed\nagreed\n");
    expect(said.stderr).toContain(".env: No such file");
  });

  test("reads and writes elsewhere what its rights name, and nothing else", async () => {
    const outside = join(folder, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "data"), "data\n");
    writeFileSync(join(outside, "other"), "other\n");
    const program = await admit(["sh"], {
      read: [join(outside, "data")],
      write: [join(outside, "state"), join(outside, "made/")],
    });
    const line = `cat ${outside}/data; echo kept > ${outside}/state; echo kept > ${outside}/made/file; cat ${outside}/other; echo x > ${outside}/data`;
    const said = await run(program, "/bin/sh", "-c", line);
    expect(said.stdout).toBe("data\n");
    expect(readFileSync(join(outside, "state"), "utf8")).toBe("kept\n");
    expect(readFileSync(join(outside, "made/file"), "utf8")).toBe("kept\n");
    expect(readFileSync(join(outside, "data"), "utf8")).toBe("data\n");
    const whole = await programs.admit({ where: "hooks.Stop", words: [], rights: { write: ["/"] } });
    expect(
      whole.ok && (await whole.value.run({ command: ["true"], env: {}, timeoutMs: 1000, maxOutputBytes: 10 })),
    ).toMatchObject({
      ok: false,
      error: { code: "CONFIG_INVALID" },
    });
  });

  test("is not shown what another program may write elsewhere, before `live` says so", async () => {
    const outside = join(folder, "outside");
    mkdirSync(join(outside, "shared"), { recursive: true });
    writeFileSync(join(outside, "shared/plugin.sh"), "echo owned\n");
    const rights = { write: [`${outside}/shared/`] };
    const config = {
      ...configDefaults,
      mcp: { ...configDefaults.mcp, servers: { files: { command: "files", rights } } },
    };
    const notices: string[] = [];
    const onNotice = (line: string) => notices.push(line);
    programs = openPrograms(
      { root, config, clock: systemClock, random: systemRandom, env: { PATH: process.env["PATH"] ?? "" }, onNotice },
      stack,
    ).programs;
    const line = `sh ${outside}/shared/plugin.sh`;
    const said = async (given: ProgramRights) => (await run(await admit(["sh"], given), "/bin/sh", "-c", line)).stdout;
    expect(await said({ read: [outside] })).toBe("");
    expect(await said({ read: [`${outside}/shared/plugin.sh`] })).toBe("");
    expect(notices[0]).toContain(`\`live: ["${outside}"]\` under hooks.Stop.rights`);
    expect(await said({ read: [outside], live: [outside] })).toBe("owned\n");
    expect(await said(rights)).toBe("owned\n");
  });

  test("ends at its limits", async () => {
    const program = await admit(["sh"]);
    const request = { env: {}, timeoutMs: 20_000, maxOutputBytes: 100 };
    const late = await program.run({ ...request, command: ["sleep", "60"], timeoutMs: 300 });
    expect(late).toMatchObject({ ok: true, value: { end: { kind: "timed_out" } } });
    const flood = await program.run({ ...request, command: ["/bin/sh", "-c", "yes | head -c 1000"] });
    expect(flood).toMatchObject({ ok: true, value: { end: { kind: "flooded" } } });
    const signal = AbortSignal.abort();
    expect(await program.run({ ...request, command: ["sleep", "60"], signal })).toMatchObject({
      ok: true,
      value: { end: { kind: "canceled" } },
    });
    expect(await program.run({ ...request, command: ["/bin/sh", "-c", "kill -9 $$"] })).toMatchObject({
      ok: true,
      value: { end: { kind: "killed", signal: "SIGKILL" } },
    });
  });

  test("holds a dialogue over stdin and stdout, and ends with everything that it started", async () => {
    const program = await admit(["sh"]);
    const started = await program.start({
      command: ["/bin/sh", "-c", 'sleep 1000 & while read line; do echo "got $line"; done; echo bye >&2'],
      env: {},
    });
    if (!started.ok) throw new Error(started.error.message);
    const { stdin, stdout, ended } = started.value;
    const answered = new Promise<string>((resolve) =>
      stdout.once("data", (chunk: Buffer) => resolve(chunk.toString())),
    );
    stdin.write("one\n");
    expect(await answered).toBe("got one\n");
    stdin.end();
    expect(await ended).toEqual({ why: "it ended with status 0", isGone: true });
  });

  test("without a sandbox, asked for by name, runs its own files and only if they are those that were admitted", async () => {
    const program = await admit(["hooks/check.sh"], { tier: "T1" });
    expect(await run(program, "hooks/check.sh")).toMatchObject({ stdout: "agreed\n", tier: "T1" });
    put("hooks/beside.sh", "echo written by an agent\n");
    const refused = await program.run({ command: ["hooks/check.sh"], env: {}, timeoutMs: 1000, maxOutputBytes: 100 });
    expect(refused).toMatchObject({ ok: false, error: { code: "LAW_CHANGED" } });
  });
});
