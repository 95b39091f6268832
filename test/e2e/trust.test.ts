// A workspace from elsewhere starts nothing before its user agreed to exactly that.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { clone, folder, put, User } from "../support/trusting-user.ts";

const hook = "#!/bin/sh\n. hooks/rules.sh\n";
/** Where programs that ran leave a mark: outside every workspace. */
let marks = "";
beforeEach(() => {
  marks = folder("marks");
  programs = programsOf();
});

/** Every kind of program that a workspace can name. */
const programsOf = () => ({
  secrets: { TOKEN: { command: ["sh", "hooks/token.sh"] } },
  hooks: {
    rights: { write: [`${marks}/`] },
    read_claude_settings: true,
    UserPromptSubmit: [{ hooks: [{ type: "command", command: "hooks/check.sh" }] }],
    PreToolUse: [{ matcher: "echo", hooks: [{ type: "module", module: "hooks/judge.mjs" }] }],
  },
  mcp: { read_mcp_json: true, servers: { own: { command: "node", args: ["server.js"], cwd: "tools" } } },
});
let programs = programsOf();

function programFiles(): Readonly<Record<string, string>> {
  return {
    "hooks/check.sh": hook,
    "hooks/rules.sh": `touch ${marks}/hook\n`,
    "hooks/token.sh": `touch ${marks}/secret; echo a-secret\n`,
    "hooks/judge.mjs": `import { writeFileSync } from "node:fs";\nwriteFileSync("${marks}/module", "");\nexport default () => ({ decision: "allow", reason: "" });\n`,
    ".claude/settings.json": JSON.stringify({
      hooks: { SessionStart: [{ hooks: [{ type: "command", command: `touch ${marks}/claude` }] }] },
    }),
    ".mcp.json": JSON.stringify({ mcpServers: { other: { command: "touch", args: [`${marks}/a server`] } } }),
    "tools/server.js": "",
  };
}

function ran(): readonly string[] {
  return readdirSync(marks);
}

test("a clone runs nothing of its own for anybody who did not agree, whatever command is given", async () => {
  const [author, reader] = [new User(), new User()];
  const root = await clone(await author.makes(programs, programFiles()), reader);
  for (const argv of [
    ["run", "greet Ada"],
    ["tool", "approve", "--all"],
    ["tool", "call", "echo", '{"text":"x"}'],
    ["policy", "backtest", "hooks/check.sh"],
    ["session", "resume", "last"],
    ["up", "--port", "0"],
    ["anchor", "rotate"],
    ["run", "greet Ada", "--json"],
  ]) {
    const { status, err, out } = await reader.writ(root, argv);
    expect([argv, status, err]).toEqual([argv, 3, expect.stringContaining("WORKSPACE_NOT_TRUSTED")]);
    if (argv.includes("--json"))
      expect(JSON.parse(out).error).toMatchObject({ kind: "gate", code: "WORKSPACE_NOT_TRUSTED", details: { root } });
  }
  expect(ran()).toEqual([]);
  const { trusted, acts } = await shown(reader, root);
  expect(trusted).toBe(false);
  expect(acts.map(({ does, what }) => `${does} ${what.replaceAll(marks, "MARKS")}`).toSorted()).toEqual([
    "run hooks/check.sh\nwrite MARKS/",
    "run hooks/judge.mjs\nwrite MARKS/",
    "run sh hooks/token.sh",
    "run touch MARKS/claude\nwrite MARKS/",
    "start node server.js",
    'start touch "MARKS/a server"',
  ]);
  // What only looks is not in the way.
  expect((await reader.writ(root, ["session", "list"])).status).toBe(0);
  expect((await reader.writ(root, ["config", "show"])).status).toBe(0);
});

interface Shown {
  readonly trusted: boolean;
  readonly digest: string;
  readonly acts: readonly { readonly does: string; readonly what: string }[];
}

async function shown(user: User, root: string): Promise<Shown> {
  return JSON.parse((await user.writ(root, ["trust", "--show", "--json"])).out) as Shown;
}

test("a person sees everything in full and is asked once; only yes lets it run", async () => {
  const [author, reader] = [new User(), new User()];
  const hooks = {
    rights: { write: [`${marks}/`] },
    UserPromptSubmit: [{ hooks: [{ type: "command", command: `hooks/check.sh one\ntouch ${marks}/two # \u202e` }] }],
  };
  const root = await clone(await author.makes({ hooks }, programFiles()), reader);
  const no = await reader.writ(root, ["run", "greet Ada"], { answer: "n" });
  expect(no).toMatchObject({ status: 3, asked: 1 });
  expect(no.err).toContain("hooks/check.sh one\n");
  expect(no.err).toContain(`touch ${marks}/two # \\u202e\n`);
  expect(ran()).toEqual([]);
  expect(await reader.writ(root, ["run", "greet Ada"], { answer: "yes" })).toMatchObject({ status: 0, asked: 1 });
  expect(ran()).toEqual(["hook", "two"]);
  expect(await reader.writ(root, ["run", "greet Ada"], { answer: "n" })).toMatchObject({ status: 0, asked: 0 });
  expect(await reader.writ(root, ["run", "greet Ada"])).toMatchObject({ status: 0 });
});

test("a hook that changed asks again, also by a file that it only includes, and says what is different", async () => {
  const [author, reader] = [new User(), new User()];
  const root = await clone(await author.makes(programs, programFiles()), reader);
  const agreed = async () => (await shown(reader, root)).trusted;
  const changes: Readonly<Record<string, Record<string, string>>> = {
    "the program": { "hooks/check.sh": `${hook}# more\n` },
    "what it includes": { "hooks/rules.sh": "exit 0\n" },
    "a program of a secret, in its size the same": { "hooks/token.sh": `touch ${marks}/secret; echo b-secret\n` },
    "settings of another tool": {
      ".claude/settings.json": JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: "id" }] }] } }),
    },
    "servers of another tool": { ".mcp.json": JSON.stringify({ mcpServers: { other: { command: "id" } } }) },
    "a server's own program": { "tools/server.js": "process.exit(1)" },
    "a laxer rule": { "writ.yaml": stringify({ version: 1, ...programs, sandbox: { minimum_tier: "T1" } }) },
  };
  for (const [what, files] of Object.entries(changes)) {
    expect((await reader.writ(root, ["trust", "--yes"])).status, what).toBe(0);
    expect(await agreed(), what).toBe(true);
    put(root, files);
    expect(await agreed(), what).toBe(false);
  }
  const { status, err } = await reader.writ(root, ["run", "greet Ada"], { answer: "n" });
  expect(status).toBe(3);
  expect(err).toContain("it has changed since it was trusted");
  expect(err).toMatch(/turns may run in tier T1\n.*sandbox\.minimum_tier {2}\(new\)/);
  expect(ran()).toEqual([]);
});

test("a hook that includes a file behind a linked folder asks again when that file changes", async () => {
  const [author, reader] = [new User(), new User()];
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command: "hooks/check.sh" }] }] };
  const files = { "hooks/check.sh": "#!/bin/sh\n. hooks/lib/rules.sh\n", "shared/deep/rules.sh": ":\n" };
  const theirs = await author.makes({ hooks }, files);
  symlinkSync("../shared/deep", join(theirs, "hooks/lib"));
  const root = await clone(theirs, reader);
  rmSync(join(root, "hooks/lib"), { force: true }); // a copy made it absolute
  symlinkSync("../shared/deep", join(root, "hooks/lib"));
  symlinkSync("..", join(root, "shared/deep/round"));
  expect((await reader.writ(root, ["trust", "--yes"])).status).toBe(0);
  expect((await reader.writ(root, ["run", "greet Ada"])).status).toBe(0);
  put(root, { "shared/deep/rules.sh": `touch ${marks}/hook\n` });
  expect((await reader.writ(root, ["run", "greet Ada"])).status).toBe(3);
  expect(ran()).toEqual([]);
});

test("trust is of one user, about one folder, and can be taken back", async () => {
  const [author, reader, other] = [new User(), new User(), new User()];
  const source = await author.makes(programs, programFiles());
  const root = await clone(source, reader);
  expect(await reader.writ(root, ["trust"])).toMatchObject({
    status: 4,
    out: expect.stringContaining("there is no person to ask"),
  });
  expect((await reader.writ(root, ["trust", "--yes"])).status).toBe(0);
  expect((await reader.writ(root, ["run", "greet Ada"])).status).toBe(0);
  expect((await other.writ(root, ["run", "greet Ada"])).status).toBe(3);
  const elsewhere = await clone(root, reader);
  expect((await reader.writ(elsewhere, ["run", "greet Ada"])).status).toBe(3);
  const digests = await Promise.all([root, elsewhere].map(async (each) => (await shown(reader, each)).digest));
  expect(digests[0]).toBe(digests[1]); // so that one digest serves every machine
  const link = join(folder("links"), "to-it");
  symlinkSync(root, link);
  expect((await reader.writ(link, ["run", "greet Ada"])).status).toBe(0);
  expect((await reader.writ(root, ["trust", "--revoke"])).status).toBe(0);
  expect((await reader.writ(root, ["run", "greet Ada"])).status).toBe(3);
  expect((await author.writ(source, ["trust", "--revoke"])).status).toBe(0);
  expect((await author.writ(source, ["run", "greet Ada"])).status).toBe(3);
});

test("where nobody can be asked, the environment vouches for a digest or for a folder, and for nothing else", async () => {
  const [author, reader] = [new User(), new User()];
  const root = await clone(await author.makes(programs, programFiles()), reader);
  const { digest } = await shown(reader, root);
  const run = async (WRIT_TRUST: string) =>
    (await reader.writ(root, ["run", "greet Ada"], { env: { WRIT_TRUST } })).status;
  for (const wrong of ["", "1", "yes", "*", "/", "0".repeat(64), digest.slice(0, 12), join(root, "..")])
    expect([wrong, await run(wrong)]).toEqual([wrong, 3]);
  expect(await run(`/elsewhere:${digest}`)).toBe(0);
  expect(await run(root)).toBe(0);
  put(root, { "hooks/rules.sh": "exit 0\n" });
  expect(await run(digest)).toBe(3);
  expect(await run(root)).toBe(0);
});

test("who made a workspace is never asked, whatever they write into it and whichever key it has", async () => {
  const author = new User();
  const root = await author.makes(programs, programFiles());
  for (const argv of [
    ["run", "greet Ada"],
    ["anchor", "rotate"],
    ["run", "greet Ada"],
  ])
    expect(await author.writ(root, argv, { answer: "n" })).toMatchObject({ status: 0, asked: 0 });
  expect(ran()).toContain("hook");
});

test("a link among the records of a workspace from elsewhere is agreed to before anything is written through it", async () => {
  const [author, reader] = [new User(), new User()];
  for (const name of ["planes/ho1/sessions", "planes/hot/journal", "planes/hot/anchors/anchors.jsonl"]) {
    const root = await clone(await author.makes({ provider: "scripted" }), reader);
    const outside = folder("outside");
    rmSync(join(root, name), { recursive: true, force: true });
    mkdirSync(join(root, name, ".."), { recursive: true });
    symlinkSync(name.endsWith(".jsonl") ? join(outside, "file") : outside, join(root, name));
    const refused = await reader.writ(root, ["run", "greet Ada"]);
    expect([name, refused.status, refused.err]).toEqual([name, 3, expect.stringContaining("WORKSPACE_NOT_TRUSTED")]);
    expect((await reader.writ(root, ["trust", "--show"])).out).toContain(name);
    expect([name, readdirSync(outside)]).toEqual([name, []]);
  }
});

test("a stranger's workspace does not become one's own by init, a borrowed key, a link or a configuration", async () => {
  const [author, reader] = [new User(), new User()];
  const mine = await reader.makes({});
  const theirs = await author.makes(programs, programFiles());
  const keys = "planes/hot/keys";
  const ways: Readonly<Record<string, (root: string) => void>> = {
    "with its own key": () => undefined,
    "with a link to my key": (root) => {
      rmSync(join(root, keys), { recursive: true });
      symlinkSync(join(mine, keys), join(root, keys));
    },
    "with a link to my planes": (root) => {
      rmSync(join(root, "planes"), { recursive: true });
      symlinkSync(join(mine, "planes"), join(root, "planes"));
    },
    "with a configuration that names my key": (root) =>
      put(root, {
        "writ.yaml": stringify({
          version: 1,
          ...programs,
          signing: { private_key: join(mine, keys, "signing.pem"), public_key: join(mine, keys, "signing.pub.pem") },
        }),
      }),
    "with a key and no configuration": (root) => rmSync(join(root, "writ.yaml")),
  };
  for (const [what, prepare] of Object.entries(ways)) {
    const root = folder("sent");
    cpSync(theirs, root, { recursive: true });
    prepare(root);
    const made = await reader.writ(root, ["init", "--json"]);
    expect([what, made.status]).toEqual([what, 0]);
    if (what === "with a key and no configuration") put(root, { "writ.yaml": stringify({ version: 1, ...programs }) });
    else expect([what, JSON.parse(made.out).trusted]).toEqual([what, false]);
    expect([what, (await reader.writ(root, ["run", "greet Ada"])).status]).toEqual([what, 3]);
    expect([what, ran()]).toEqual([what, []]);
  }
});

test("a word about a workspace that lies in the workspace does not count", async () => {
  const author = new User();
  const theirs = await author.makes(programs, programFiles());
  const root = folder("sent");
  cpSync(theirs, root, { recursive: true });
  cpSync(author.home, join(root, ".config"), { recursive: true });
  const reader = new User();
  const env = { XDG_CONFIG_HOME: join(root, ".config"), HOME: root };
  expect((await reader.writ(root, ["run", "greet Ada"], { env })).status).toBe(3);
  expect(ran()).toEqual([]);
});

test("no key and no record goes to an address that a stranger wrote", async () => {
  let reached = 0;
  const server = createServer((socket) => {
    reached += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const [author, reader] = [new User(), new User()];
  const model = { provider: "anthropic", model: "m", base_url: `http://127.0.0.1:${port}` };
  const store = `postgres://writ@127.0.0.1:${port}/writ`;
  const env = { ANTHROPIC_API_KEY: "sk-ant-a-real-one", PGPASSWORD: "hunter2" };
  for (const [config, argv] of [
    [model, ["run", "greet Ada"]],
    [model, ["doctor", "--provider", "anthropic"]],
    [{ telemetry: { endpoint: `http://127.0.0.1:${port}` } }, ["run", "greet Ada"]],
    [{ mcp: { servers: { far: { url: `http://127.0.0.1:${port}` } } } }, ["tool", "approve", "far"]],
    [{ store }, ["session", "list"]],
    [{ store }, ["runs", "list"]],
  ] as const) {
    const root = await clone(await author.makes(config), reader);
    const { status, err } = await reader.writ(root, argv, { env });
    expect([argv, status, err]).toEqual([argv, 3, expect.stringContaining("reach 1 address")]);
  }
  expect(reached).toBe(0);
});

test("a stranger's workspace writes no file outside itself, by a path or by a link that came with it", async () => {
  const [author, reader] = [new User(), new User()];
  const profile = join(marks, "profile");
  for (const [config, link] of [
    [{ record: profile }],
    [{ record: "notes.jsonl" }, "notes.jsonl"],
    [{ profiles: { fast: { record: "tapes/notes.jsonl" } } }, "tapes"],
    [{ store: `sqlite:${marks}/store.db` }],
    [{ store: "sqlite:store.db" }, "store.db"],
  ] as const) {
    const theirs = await author.makes({ provider: "scripted", ...config });
    if (link) symlinkSync(link === "tapes" ? marks : profile, join(theirs, link)); // to what is not there yet
    const root = await clone(theirs, reader);
    const { status, err } = await reader.writ(root, ["run", "greet Ada"]);
    expect([config, status, err]).toEqual([config, 3, expect.stringContaining("write 1 file outside it")]);
    expect([config, ran()]).toEqual([config, []]);
    expect((await reader.writ(root, ["trust", "--show"])).out).toContain(marks);
  }
  const harmless = await author.makes({
    provider: "scripted",
    record: "tapes/a.jsonl",
    store: "sqlite:planes/hot/s.db",
  });
  const moved = await clone(harmless, reader);
  expect((await reader.writ(moved, ["run", "greet Ada"])).status).toBe(0);
  cpSync(join(moved, "planes"), join(marks, "planes"), { recursive: true });
  rmSync(join(moved, "planes"), { recursive: true });
  symlinkSync(join(marks, "planes"), join(moved, "planes"));
  expect(await reader.writ(moved, ["run", "greet Ada"])).toMatchObject({ status: 3 });
});

test("a workspace that starts nothing, reaches nobody and lowers no guard needs no word", async () => {
  const [author, reader] = [new User(), new User()];
  const root = await clone(await author.makes({ provider: "scripted" }), reader);
  expect((await reader.writ(root, ["run", "greet Ada"])).status).toBe(0);
  expect((await reader.writ(root, ["trust"])).out).toContain("nothing to trust");
  expect(existsSync(join(reader.home, "writ/trust"))).toBe(false);
});

test("where nothing can be remembered a workspace is still made, says so, and names the way out when it is needed", async () => {
  const author = new User();
  const file = join(author.home, "a-file");
  writeFileSync(file, "");
  const env = { XDG_CONFIG_HOME: file };
  const root = folder("own");
  const made = await author.writ(root, ["init"], { env });
  expect(made).toMatchObject({ status: 0, out: expect.stringContaining("you will not be known as its maker") });
  expect((await author.writ(root, ["run", "greet Ada"], { env })).status).toBe(0); // nothing to trust yet
  put(root, { "writ.yaml": stringify({ version: 1, ...programs }), ...programFiles() });
  const refused = await author.writ(root, ["run", "greet Ada"], { env });
  expect(refused).toMatchObject({ status: 3, err: expect.stringContaining("WRIT_TRUST=") });
  expect((await author.writ(root, ["trust", "--yes"], { env })).err).toContain("cannot keep what this user trusts");
  const vouched = await author.writ(root, ["run", "greet Ada"], { env: { ...env, WRIT_TRUST: root } });
  expect(vouched.status).toBe(0);
});
