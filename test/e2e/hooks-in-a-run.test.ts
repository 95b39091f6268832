// Hooks and skills through the public door: what they decide is what happens, and the session says so.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writ, writJson } from "../support/resident-writ.ts";

const place = mkdtempSync(join(tmpdir(), "writ-gates-"));
const cwd = join(place, "workspace");
const put = (path: string, text: string) => {
  mkdirSync(join(cwd, path, ".."), { recursive: true });
  writeFileSync(join(cwd, path), text, { mode: 0o755 });
};
const hooks = (config: object) => put("writ.yaml", JSON.stringify({ version: 1, hooks: config }));
const program = (command: string, more: object = {}) => [
  { hooks: [{ type: "command", command, id: "guard", ...more }] },
];

interface Ran {
  readonly session_id: string;
  readonly status: string;
  readonly output: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}
interface Recorded {
  readonly type: string;
  readonly payload: { readonly [key: string]: unknown };
}

async function run(prompt: string) {
  const { json, status } = await writJson<Ran>(["run", prompt], { cwd });
  const file = join(cwd, "planes/ho1/sessions", json.session_id, ".events.jsonl");
  const events = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Recorded);
  return {
    ...json,
    exit: status,
    of: (type: string) => events.filter((event) => event.type === type).map(({ payload }) => payload),
  };
}

beforeAll(() => writ(["init", cwd]));
afterAll(() => rmSync(place, { recursive: true, force: true }));

test.for([
  { kind: "blocks", command: "echo not today >&2; exit 2", says: "not today" },
  { kind: "fails", command: "exit 1", says: "ended with status 1" },
  { kind: "hangs", command: "sleep 600", says: "did not answer within 300 ms", timeout: 0.3 },
  { kind: "is not there", command: "hooks/gone.sh", says: "its program was not found" },
  {
    kind: "says a key twice",
    command: `printf '{"decision":"deny","reason":"no","decision":"allow"}'`,
    says: "stands twice",
  },
])(
  "a PreToolUse program that $kind: the tool does not run, the status is 3, the log names the hook",
  async ({ command, says, timeout = 20 }) => {
    hooks({ PreToolUse: program(command, { timeout }) });
    const ran = await run("greet Ada");
    expect(ran).toMatchObject({
      exit: 3,
      status: "failure",
      error: { code: "GATE_DENIED", message: expect.stringContaining(says) },
    });
    expect(ran.of("tool.invoke")).toEqual([]);
    expect(ran.of("tool.result")).toEqual([]);
    expect(ran.of("hook.fired").filter(({ point }) => point === "PreToolUse")).toMatchObject([
      { handler: "guard", decision: "deny", subject: "echo" },
    ]);
  },
);

test("a PreToolUse program that asks: the request waits with status 4, and goes on once a person has allowed it", async () => {
  hooks({ PreToolUse: program(`echo '{"decision":"ask","reason":"sure?"}'`) });
  const ran = await run("greet Ada");
  expect(ran).toMatchObject({ exit: 4, status: "waiting", error: { code: "APPROVAL_PENDING" } });
  expect(ran.of("tool.invoke")).toEqual([]);
  const inbox = await writJson<{ approvals: { approval_id: string }[] }>(["inbox"], { cwd });
  const id = inbox.json.approvals[0]?.approval_id ?? "";
  const shown = await writ(["inbox", "show", id.slice(4, 12)], { cwd });
  expect(shown.stdout).toContain('"args":{"text":');
  expect((await writ(["session", "resume", ran.session_id], { cwd })).status).toBe(4); // nobody has said anything yet
  expect((await writ(["inbox", "approve", id], { cwd })).status).toBe(0);
  expect((await writ(["inbox"], { cwd })).stdout).toContain("Nothing waits for you");
  const resumed = await writJson<Ran>(["session", "resume", ran.session_id], { cwd });
  expect(resumed).toMatchObject({ status: 0, json: { status: "success" } });
  expect((await writ(["session", "verify", ran.session_id], { cwd })).status).toBe(0);
});

test("what a person allowed is one call: a model that names a second one like it has it asked about again", async () => {
  const pay = { respond: { tool_calls: [{ id: "same", name: "echo", args: { text: "pay 100" } }] } };
  const rules = [1, 2].map((call) => ({ when: { role: "worker", call }, ...pay }));
  put("same.yaml", JSON.stringify({ rules }));
  const config = { PreToolUse: program(`echo '{"decision":"ask","reason":"sure?"}'`) };
  put("writ.yaml", JSON.stringify({ version: 1, script: "same.yaml", hooks: config }));
  const ran = await run("greet Ada");
  const waiting = async () =>
    (await writJson<{ approvals: { approval_id: string }[] }>(["inbox"], { cwd })).json.approvals;
  const [first] = await waiting();
  expect((await writ(["inbox", "approve", first?.approval_id ?? ""], { cwd })).status).toBe(0);
  expect((await writ(["session", "resume", ran.session_id], { cwd })).status).toBe(4);
  expect(await waiting()).toMatchObject([{ approval_id: expect.not.stringMatching(first?.approval_id ?? "") }]);
  const invoked = await writ(["session", "events", ran.session_id, "--json"], { cwd });
  expect(invoked.stdout.split('"tool.invoke"').length - 1).toBe(1);
});

test("a PreToolUse transform: what is logged is what runs, and it is exactly the transform", async () => {
  hooks({ PreToolUse: program(`echo '{"decision":"transform","output":{"text":"Hello, nobody"}}'`) });
  const ran = await run("greet Ada");
  expect(ran.of("tool.invoke")).toMatchObject([{ name: "echo", args: { text: "Hello, nobody" } }]);
  expect(ran.of("tool.output")).toMatchObject([{ name: "echo", content: { text: "Hello, nobody" } }]);
});

test("a transform that the tool's schema does not accept stops the call, also when it is empty", async () => {
  hooks({ PreToolUse: program(`echo '{"decision":"transform","output":{}}'`) });
  const ran = await run("greet Ada");
  expect(ran.of("tool.invoke")).toEqual([]);
  expect(ran.status).toBe("failure");
});

test("a prompt that a program refuses reaches no model", async () => {
  hooks({ UserPromptSubmit: program("echo no prompts today >&2; exit 2") });
  const ran = await run("greet Ada");
  expect(ran).toMatchObject({
    exit: 3,
    status: "rejected",
    error: { code: "PROMPT_DENIED", message: expect.stringContaining("no prompts today") },
  });
  expect(ran.of("llm.request")).toEqual([]);
});

test("a skill that SkillStart refuses does not start", async () => {
  hooks({ SkillStart: [{ matcher: "greet", hooks: [{ type: "command", command: "exit 2", id: "guard" }] }] });
  const ran = await run("greet Ada");
  expect(ran.of("llm.request")).toEqual([]);
  expect(ran.error?.code).toBe("GATE_DENIED");
});

test("the session pins the hooks and the skill it ran under, by hash", async () => {
  put("hooks/watch.sh", "#!/bin/sh\nexit 0\n");
  hooks({ PreToolUse: [{ hooks: [{ type: "command", command: "hooks/watch.sh" }] }] });
  const listed = await writJson<{ hooks: { id: string; hash: string }[] }>(["hook", "list"], { cwd });
  const ran = await run("greet Ada");
  expect(ran.status).toBe("success");
  const hash = listed.json.hooks.find(({ id }) => id === "hooks/watch.sh")?.hash;
  expect(ran.of("session.start")[0]?.["pinned"]).toMatchObject({ "hook:PreToolUse:hooks/watch.sh": hash });
});

test("the next request follows an edited skill: its tools are gone, so the tool cannot be called", async () => {
  hooks({});
  const skill = (tools: string) =>
    `---\nname: greet\ndescription: Ours\ntriggers: [greet]\nallowed-tools: ${tools}\n---\nGreet with the echo tool.\n`;
  put("skills/greet/SKILL.md", skill("[echo]"));
  expect((await run("greet Ada")).of("skill.invoke")).toMatchObject([{ skill: "greet", allowed_tools: ["echo"] }]);
  put("skills/greet/SKILL.md", skill("[]"));
  const without = await run("greet Ada");
  expect(without.of("skill.invoke")).toMatchObject([{ skill: "greet", allowed_tools: [] }]);
  expect(without.of("tool.invoke")).toEqual([]);
});
