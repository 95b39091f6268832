// The kill switch, a refusal, a proof and the check-up work however hostile, broken or changed a workspace is.
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { clone, folder, put, User } from "../support/trusting-user.ts";

/** Where programs that ran leave a mark: outside every workspace. */
let marks = "";
beforeEach(() => {
  marks = folder("marks");
});

const touches = (name: string) => `#!/bin/sh\ntouch ${marks}/${name}\n`;

/** A workspace from elsewhere that its reader agreed to, with a session and a question that waits. */
async function agreed(): Promise<{ readonly reader: User; readonly root: string; readonly question: string }> {
  const [author, reader] = [new User(), new User()];
  const asks = `#!/bin/sh\necho '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}'\n`;
  const hooks = { PreToolUse: [{ matcher: "echo", hooks: [{ type: "command", command: "hooks/ask.sh" }] }] };
  const root = await clone(await author.makes({ provider: "scripted", hooks }, { "hooks/ask.sh": asks }), reader);
  expect((await reader.writ(root, ["trust", "--yes"])).status).toBe(0);
  const waiting = await reader.writ(root, ["tool", "call", "echo", '{"text":"x"}', "--json"]);
  expect(waiting.status).toBe(4);
  const { out } = await reader.writ(root, ["inbox", "list", "--json"]);
  const { approvals } = JSON.parse(out) as { approvals: readonly { approval_id: string }[] };
  return { reader, root, question: approvals[0]?.approval_id ?? "" };
}

const program = () => ({ type: "command", command: `touch ${marks}/hook` });
const everyHook = () =>
  Object.fromEntries(
    ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"].map((point) => [point, [{ hooks: [program()] }]]),
  );

/** What somebody may have done to it since. */
const damages: Readonly<Record<string, (root: string) => void>> = {
  "a hook that changed": (root) => put(root, { "hooks/ask.sh": touches("hook") }),
  "programs everywhere": (root) =>
    put(root, {
      "writ.yaml": stringify({
        version: 1,
        hooks: everyHook(),
        secrets: { TOKEN: { command: ["touch", `${marks}/secret`] } },
        mcp: { servers: { own: { command: "touch", args: [`${marks}/server`] } } },
      }),
    }),
  "rights taken away": (root) =>
    put(root, {
      "writ.yaml": stringify({
        version: 1,
        identity: { local_roles: [] },
        approvals: { self_approval: "never" },
        limits: { lock_wait_seconds: 1, payload_bytes: 1024 },
        redaction: { patterns: [{ name: "all", pattern: "." }] },
      }),
    }),
  "a store elsewhere": (root) =>
    put(root, { "writ.yaml": stringify({ version: 1, store: `sqlite:${marks}/store.db` }) }),
  "another store in it": (root) => put(root, { "writ.yaml": "version: 1\nstore: sqlite:planes/hot/other.db\n" }),
  "keys that are not there": (root) =>
    put(root, {
      "writ.yaml": stringify({
        version: 1,
        signing: { private_key: "../nowhere.pem", public_key: "../nowhere.pub.pem" },
      }),
    }),
  "no YAML": (root) => put(root, { "writ.yaml": 'version: 1\nhooks: [[[{ :::\n\t- "\n' }),
  "no YAML, and one of the keys is a store": (root) =>
    put(root, { "writ.yaml": `store: sqlite:${marks}/store.db\nhooks: [[[\n` }),
  "unknown keys": (root) => put(root, { "writ.yaml": "version: 99\nwhatever: true\n" }),
  "an empty file": (root) => put(root, { "writ.yaml": "" }),
  "a folder of the same name": (root) => {
    rmSync(join(root, "writ.yaml"));
    mkdirSync(join(root, "writ.yaml"));
  },
  "a link to nowhere else": (root) => {
    rmSync(join(root, "writ.yaml"));
    symlinkSync("/dev/zero", join(root, "writ.yaml"));
  },
  "no file": (root) => rmSync(join(root, "writ.yaml")),
  "broken contracts": (root) => put(root, { "schemas/broken_v1.json": "{" }),
  "a broken framework, skill and role": (root) =>
    put(root, { "frameworks/x.yaml": "[[", "skills/x/SKILL.md": "---\n[[", "agents/lead.md": "\0" }),
};

for (const [what, damage] of Object.entries(damages))
  test(`${what}: everything can be halted, refused, proved and looked into, and nothing is started`, async () => {
    const { reader, root, question } = await agreed();
    damage(root);
    const halted = await reader.writ(root, ["halt", "--all", "--reason", "it is hostile", "--json"]);
    expect([halted.status, halted.err]).toEqual([0, ""]);
    expect(JSON.parse(halted.out)).toMatchObject({ halted: "*", reason: "it is hostile" });
    const standing = await reader.writ(root, ["halt", "--json"]);
    expect(JSON.parse(standing.out)).toMatchObject({ halts: [{ session_id: null, reason: "it is hostile" }] });
    const denied = await reader.writ(root, ["inbox", "deny", question, "--reason", "no"]);
    expect([denied.status, denied.err]).toEqual([0, ""]);
    const proved = await reader.writ(root, ["session", "verify", "--all", "--json"]);
    expect([proved.status, JSON.parse(proved.out).violations]).toEqual([0, []]);
    const looked = await reader.writ(root, ["doctor", "--json"]);
    expect(JSON.parse(looked.out)).toMatchObject({
      parts: expect.arrayContaining([expect.objectContaining({ id: "config" })]),
    });
    expect(readdirSync(marks)).toEqual([]);
    // The store that a process of this user would look at is the one that says so.
    expect(existsSync(join(root, "planes/hot/other.db"))).toBe(false);
  });

test("a halt reaches what runs, though the configuration was changed to another store since", async () => {
  const { reader, root } = await agreed();
  put(root, { "writ.yaml": "version: 1\nstore: sqlite:planes/hot/other.db\n" });
  expect((await reader.writ(root, ["halt", "--all"])).status).toBe(0);
  put(root, { "writ.yaml": "version: 1\nprovider: scripted\n" });
  expect(await reader.writ(root, ["run", "greet Ada"])).toMatchObject({
    status: 3,
    out: expect.stringContaining("HALTED"),
  });
});

test("a halt stands without the key that signs its record, and says that it is not recorded", async () => {
  const { reader, root } = await agreed();
  rmSync(join(root, "planes/hot/keys"), { recursive: true });
  const halted = await reader.writ(root, ["halt", "--all"]);
  expect(halted).toMatchObject({ status: 0, err: expect.stringContaining("could not be recorded") });
  expect((await reader.writ(root, ["halt", "--json"])).out).toContain("halted by hand");
});

test("no password goes to an address of a store that nobody agreed to; WRIT_STORE names it", async () => {
  let reached = 0;
  const server = createServer((socket) => {
    reached += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const store = `postgres://writ:\${secret:GITHUB_TOKEN}@127.0.0.1:${port}/writ`;
  const [author, reader] = [new User(), new User()];
  const root = await clone(await author.makes({ store }), reader);
  const env = { GITHUB_TOKEN: "ghp_a-real-one-of-the-reader" };
  for (const argv of [
    ["halt", "--all"],
    ["inbox", "deny", "APR-1"],
    ["session", "verify", "--all"],
  ]) {
    const { status, err } = await reader.writ(root, argv, { env });
    expect([argv, status, err]).toEqual([argv, 3, expect.stringContaining("WRIT_STORE=")]);
  }
  expect(reached).toBe(0);
  const named = await reader.writ(root, ["halt", "--all"], { env: { ...env, WRIT_STORE: store } });
  expect([named.status, reached > 0]).toEqual([1, true]);
});

test("a halt is recorded by the name that the workspace gives the person at this machine", async () => {
  const user = new User();
  const root = await user.makes({ provider: "scripted", identity: { local_caller: "ada@example.org" } });
  expect((await user.writ(root, ["halt", "--all"])).status).toBe(0);
  const { out } = await user.writ(root, ["halt", "--json"]);
  expect(JSON.parse(out)).toMatchObject({ halts: [{ by: "ada@example.org" }] });
});

/** What comes with a pull and would lead the kill switch elsewhere, or keep it from its work. */
const led: Readonly<Record<string, () => string>> = {
  "a file outside": () => `sqlite:${marks}/store.db`,
  "another file in it": () => "sqlite:planes/hot/other.db",
  "an address, with a password in the open": () => "postgres://writ:hunter2hunter2@127.0.0.1:1/writ",
  "an address whose password nobody has": () => "postgres://writ:${secret:NOWHERE}@127.0.0.1:1/writ",
  "no store that there is": () => "mysql:here",
};

test.each(Object.entries(led))(
  "in a workspace made here a halt goes where it was last used, not to %s",
  async (_, store) => {
    const user = new User();
    const root = await user.makes({ provider: "scripted" });
    expect((await user.writ(root, ["run", "greet Ada"])).status).toBe(0);
    put(root, { "writ.yaml": stringify({ version: 1, store: store() }) });
    const halted = await user.writ(root, ["halt", "--all"]);
    expect([halted.status, halted.err]).toEqual([0, ""]);
    expect(await user.writ(root, ["session", "verify", "--all"])).toMatchObject({ status: 0 });
    expect(readdirSync(marks)).toEqual([]);
    expect(existsSync(join(root, "planes/hot/other.db"))).toBe(false);
    put(root, { "writ.yaml": "version: 1\nprovider: scripted\n" });
    expect((await user.writ(root, ["run", "greet Ada"])).out).toContain("HALTED");
  },
);

test("a store that its person chose and used is where a halt goes, and one that an environment names for a while is not", async () => {
  const user = new User();
  const root = await user.makes({ provider: "scripted" });
  const greets = (env: Record<string, string> = {}) => user.writ(root, ["run", "greet Ada"], { env });
  expect((await greets()).status).toBe(0);
  put(root, { "writ.yaml": "version: 1\nstore: sqlite:planes/hot/other.db\n" });
  expect((await greets()).status).toBe(0);
  expect((await greets({ WRIT_STORE: "sqlite:planes/hot/third.db" })).status).toBe(0);
  expect((await user.writ(root, ["halt", "--all"])).status).toBe(0);
  expect((await greets()).out).toContain("HALTED");
});
