// An agent that may write every file writes those that the workspace's programs run. Nothing of it runs before a person agreed.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "#core/values";
import { writ, writJson } from "../support/resident-writ.ts";

const place = mkdtempSync(join(tmpdir(), "writ-supply-"));
const cwd = join(place, "workspace");
const put = (path: string, text: string) => {
  mkdirSync(join(cwd, path, ".."), { recursive: true });
  writeFileSync(join(cwd, path), text);
  chmodSync(join(cwd, path), 0o755);
};
const config = (document: object) => put("writ.yaml", JSON.stringify({ version: 1, ...document }));
const agentWrites = async (path: string, content: string) => {
  const file = join(cwd, path);
  const expected_hash = existsSync(file) ? sha256(readFileSync(file)) : "";
  const args = JSON.stringify({ path, content, expected_hash, why: "an agent wants it" });
  const written = await writ(["tool", "call", "fs.write", args, "--allow", "**", path], { cwd });
  expect(written, written.stderr).toMatchObject({ status: 0 });
};

interface Ran {
  readonly error: { readonly code: string; readonly message: string } | null;
}
const greet = async () => {
  const { json, stderr } = await writJson<Ran>(["run", "greet Ada"], { cwd });
  return { said: json.error?.message ?? "", stderr };
};

beforeAll(async () => {
  await writ(["init", cwd]);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const script = (line: string) => `${line}\n`;
const check = "#!/bin/sh\nsh tools/lint.sh\n";

interface Kind {
  readonly name: string;
  readonly command: string;
  /** What an agent writes. */
  readonly file: string;
  readonly text: (line: string) => string;
  readonly rights: object;
  readonly hook?: string;
}

describe.for<Kind>([
  {
    name: "make",
    command: "make -s check",
    file: "Makefile",
    text: (line) => `check:\n\t@${line}\n`,
    rights: { code: ["Makefile"] },
  },
  {
    name: "make, without a line",
    command: "make -s check",
    file: "Makefile",
    text: (line) => `check:\n\t@${line}\n`,
    rights: {},
  },
  {
    name: "a script that it calls",
    command: "hooks/check.sh",
    file: "tools/lint.sh",
    text: script,
    rights: { code: ["tools/lint.sh"] },
  },
  // What a program may read is data as it is at the moment; what its own code names as code is none of that.
  {
    name: "a script that it calls, and reads everything",
    command: "hooks/check.sh",
    file: "tools/lint.sh",
    text: script,
    rights: { read: ["**"] },
    hook: "#!/bin/sh\ncd tools && sh lint.sh\n",
  },
  {
    name: "a script that calls make, and reads everything",
    command: "hooks/check.sh",
    file: "Makefile",
    text: (line) => `check:\n\t@${line}\n`,
    rights: { read: ["**"] },
    hook: "#!/bin/sh\nmake -s check >&2\n",
  },
  {
    name: "a module that its module imports, and reads everything",
    command: "node hooks/check.mjs",
    file: "tools/lint.mjs",
    text: (line) =>
      `import { spawnSync } from "node:child_process";\nprocess.exitCode = spawnSync("sh", ["-c", ${JSON.stringify(line)}], { stdio: "inherit" }).status;\n`,
    rights: { read: ["**"] },
    hook: 'import "../tools/lint.mjs";\n',
  },
  {
    name: "a script behind a link",
    command: "sh hooks/check.sh",
    file: "tools/linked/l.sh",
    text: script,
    rights: {},
    hook: "sh hooks/linked/l.sh\n",
  },
])("a hook that runs $name", ({ command, file, text, rights, hook = check }) => {
  test("runs what its person agreed to, whatever an agent writes, until the person agrees to that", async () => {
    rmSync(join(place, "owned"), { force: true });
    put(command.endsWith(".mjs") ? "hooks/check.mjs" : "hooks/check.sh", hook);
    put(file, text("echo agreed >&2; exit 2"));
    const linked = join(cwd, "hooks/linked");
    rmSync(linked, { force: true });
    if (file.includes("linked")) symlinkSync("../tools/linked", linked);
    config({
      hooks: { PreToolUse: [{ matcher: "echo", hooks: [{ type: "command", command, rights, timeout: 30 }] }] },
    });
    expect((await greet()).said).toContain("agreed");
    await agentWrites(file, text(`echo owned >&2; touch ${place}/owned; exit 2`));
    const after = await greet();
    expect(after.said).toContain("agreed");
    expect(after.said).not.toContain("owned");
    const shown = file.includes("linked") ? relative(cwd, `${linked}/l.sh`) : file;
    expect(after.stderr).toContain(`${shown} was written by an agent`);
    expect(realpathSync(join(cwd, shown))).toBe(realpathSync(join(cwd, file)));
    expect(existsSync(join(place, "owned"))).toBe(false);
    const show = (await writ(["trust", "--show"], { cwd })).stdout;
    expect(show).toContain(`an agent wrote since you last agreed:\n          ${shown}\n`);
    expect(show.includes("(as it is, without what agents write there)")).toBe("read" in rights);
    expect(await writ(["trust", "--yes"], { cwd })).toMatchObject({ status: 0 });
    expect((await greet()).said).toContain("owned");
    expect(existsSync(join(place, "owned"))).toBe(false); // agreed to, it still has a sandbox
  });
});

test("a hook is not started with a file that an agent wrote before the hook was named", async () => {
  await agentWrites("tools/fresh.sh", "echo owned >&2; exit 2\n");
  put("hooks/fresh.sh", "#!/bin/sh\nsh tools/fresh.sh\n");
  const hook = { type: "command", command: "hooks/fresh.sh", rights: { code: ["tools/fresh.sh"] } };
  config({ hooks: { PreToolUse: [{ hooks: [hook] }] } });
  const refused = await writ(["run", "greet Ada"], { cwd });
  expect(refused.stderr + refused.stdout).toContain("tools/fresh.sh, which an agent wrote");
  expect(refused.status).toBe(3);
});

test("a program that prints a secret has a sandbox and its own files, and what an agent writes there is not printed", async () => {
  put("vault/print.sh", '#!/bin/sh\n. ./vault/lib.sh\n[ -e planes ] || [ -e "$HOME/.ssh" ] || echo "$VALUE-$GIVEN"\n');
  put("vault/lib.sh", "VALUE=agreed-value\n");
  const secret = { command: ["vault/print.sh"], rights: { secrets: ["GIVEN"] } };
  const command = { type: "command", command: 'echo "got $TOKEN" >&2; exit 2', rights: { secrets: ["TOKEN"] } };
  config({ secrets: { TOKEN: secret }, hooks: { PreToolUse: [{ matcher: "echo", hooks: [command] }] } });
  const env = { GIVEN: "given-value", ANTHROPIC_API_KEY: "sk-not-for-programs" };
  const said = async () => (await writJson<Ran>(["run", "greet Ada"], { cwd, env })).json.error?.message ?? "";
  // What a hook says of a secret is kept out of the record, which shows that this very value was read.
  expect(await said()).toContain("got [REDACTED:secret]");
  await agentWrites("vault/lib.sh", `VALUE=owned; touch ${place}/owned\n`);
  expect(await said()).toContain("got [REDACTED:secret]");
  expect(existsSync(join(place, "owned"))).toBe(false);
});
