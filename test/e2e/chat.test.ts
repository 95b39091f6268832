// Talking with an agent on the command line, as processes of their own, with a model over HTTP that streams as real ones do.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { built } from "../support/built.ts";
import { writPiped, writTyped } from "../support/typed.ts";
import { calling, type ModelBench, type Sent, sentTo, withModel, wordsOf } from "../support/with-model.ts";
import { writ, writJson } from "../support/writ.ts";

beforeAll(built);

/** One pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const base64 = png.toString("base64");

/** A workspace that only the processes have open. */
async function bench(): Promise<ModelBench> {
  const made = await withModel({ files: { "notes.md": "the key is under the mat\n" } });
  writeFileSync(join(made.workspace.root, "door.png"), png);
  await made.workspace.runtime.close();
  return made;
}
const saidOf = (sent: Sent | undefined) => sent?.messages.slice(1).map(({ content }) => content);

test("lines of standard input are the messages of one thread: answered in words, with its calls named, and gone on with", async () => {
  await using open = await bench();
  const { vendor, workspace } = open;
  const cwd = workspace.root;
  vendor.will(calling("fs.read", { path: "notes.md" }), { text: "Under the mat." }, { text: "Nothing else." });
  const talked = await writPiped(cwd, ["chat"], "Where is the key?\n\nAnything else?\n");
  expect(talked, talked.stderr).toMatchObject({ status: 0 });
  expect(talked.stdout).toMatch(/fs\.read \{"path":"notes\.md"\}\n[\s\S]*Under the mat\.\n[\s\S]*Nothing else\.\n/);
  expect(talked.stdout).toContain("go on: writ chat --continue");
  const [, thread = ""] = /thread (THR-\S+)/.exec(talked.stdout) ?? [];

  // The next process goes on, with either command and by either name; a request begins with the bytes of the one before.
  vendor.will({ text: "Once more: under the mat." }, { text: "For the third time." });
  const run = await writJson<{ thread_id: string; output: string }>(["run", "Say it again", "--continue"], { cwd });
  expect(run).toMatchObject({ status: 0, json: { output: "Once more: under the mat.", thread_id: thread } });
  const again = await writPiped(cwd, ["chat", "--continue", thread, "--json"], "And again\n");
  expect(again.status, again.stderr).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({ thread_id: thread, messages: 1, output: "For the third time." });
  expect(again.stderr).toContain("For the third time."); // what a person sees, beside the document
  const requests = sentTo(vendor).map(({ messages }) => messages.map((message) => JSON.stringify(message)));
  expect(requests).toHaveLength(5);
  for (const [at, messages] of requests.slice(1).entries())
    expect(messages.slice(0, requests[at]?.length)).toEqual(requests[at]);
  expect(saidOf(sentTo(vendor).at(-1))?.at(-1)).toBe("And again");
  expect((await writ(["session", "verify", "--all"], { cwd })).status).toBe(0);
});

test("what there is nothing to go on with, or cannot be attached, is said before anything is sent", async () => {
  await using open = await bench();
  const { vendor, workspace } = open;
  const cwd = workspace.root;
  writeFileSync(join(cwd, "program.bin"), Buffer.from([0, 1, 2]));
  for (const [args, words] of [
    [["run", "and now?", "--continue"], "no session"],
    [["chat", "--continue", "THR-20261115-00000000000000000000"], "no thread"],
    [["run", "what is it?", "--attach", "absent.png"], "absent.png"],
    [["run", "what is it?", "--attach", "program.bin"], "PNG, JPEG, GIF, WebP, PDF and text"],
  ] as const) {
    const refused = await writPiped(cwd, args, "");
    expect(refused, args.join(" ")).toMatchObject({ status: 2, stdout: "" });
    expect(refused.stderr).toContain(words);
  }
  // In a conversation it is said, and the conversation goes on.
  vendor.will({ text: "Nothing came." });
  const talked = await writPiped(cwd, ["chat"], "/attach absent.png\nDid it come?\n");
  expect(talked.status).toBe(0);
  expect(talked.stdout).toMatch(/absent\.png[\s\S]*Nothing came\./);
  expect(vendor.requests).toHaveLength(1);
});

test("a word behind a slash is for the chat: it is never sent, and /exit ends it", async () => {
  await using open = await bench();
  const { vendor, workspace } = open;
  vendor.will({ text: "It is a folder." });
  const lines = "/help\n/models\n/etc/hosts, what is it?\n/exit\nnever sent\n";
  const talked = await writPiped(workspace.root, ["chat"], lines);
  expect(talked, talked.stderr).toMatchObject({ status: 0 });
  expect(talked.stdout).toMatch(
    /\/attach FILE[\s\S]*there is no \/models, and nothing was sent[\s\S]*It is a folder\./,
  );
  expect(sentTo(vendor).map((sent) => saidOf(sent))).toEqual([["/etc/hosts, what is it?"]]);
});

test("files go with a request, with one that goes on, and with a message, and are asked for once", async () => {
  await using open = await bench();
  const { vendor, workspace } = open;
  const cwd = workspace.root;
  const pictures = () => vendor.requests.map(({ body }) => JSON.stringify(body).split(base64).length - 1);
  vendor.will({ text: "A door." });
  expect(await writ(["run", "What is this?", "--attach", "door.png"], { cwd })).toMatchObject({ status: 0 });
  expect(await writ(["run", "And this?", "--continue", "--attach", "door.png", "notes.md"], { cwd })).toMatchObject({
    status: 0,
  });
  expect(wordsOf(sentTo(vendor)[1])).toContain("under the mat");
  const talked = await writPiped(cwd, ["chat"], "/attach door.png\nAnd that?\nWhich colour?\n");
  expect(talked.stdout).toContain("door.png goes with the next message");
  expect(pictures()).toEqual([1, 2, 1, 1]);
});

test("an answer that is not done ends with 1 and says what was refused, on the screen and for programs", async () => {
  await using open = await bench();
  const { vendor, workspace } = open;
  const cwd = workspace.root;
  const edit = { path: "notes.md", edits: [{ old: "mat", new: "rug" }] };
  const will = () => vendor.will(calling("fs.edit", edit), { text: "It is under the rug now." });
  will();
  const told = await writ(["run", "put it under the rug"], { cwd });
  expect(told.status).toBe(1);
  expect(told.stdout).toMatch(/fs\.edit notes\.md\s+refused: CAPABILITY_VIOLATION/);
  expect(told.stdout).toContain("--allow notes.md");
  will();
  const json = await writJson<object>(["run", "put it under the rug"], { cwd });
  expect(json).toMatchObject({
    status: 1,
    json: {
      status: "partial",
      error: { code: "PARTIAL_RESULT" },
      undone: [{ tool: "fs.edit", target: "notes.md", state: "refused", code: "CAPABILITY_VIOLATION" }],
    },
  });
  will();
  const talked = await writPiped(cwd, ["chat"], "put it under the rug\n");
  expect(talked.status).toBe(1);
  expect(talked.stdout).toMatch(/fs\.edit notes\.md\s+refused: CAPABILITY_VIOLATION/);
});

test("no screen shows JSON, whatever the roles say to each other", async () => {
  await using open = await bench();
  const { vendor, workspace } = open;
  const json = (value: object) => ({ text: JSON.stringify({ ...value, schema_version: "v1" }) });
  vendor.will(
    json({ intent: "say it", constraints: [], needs_advisor: false }),
    json({ steps: [{ id: "s1", description: "say it", depends_on: [] }], risks: [], needs_advisor: false }),
    json({ output: "It is said.", steps_completed: ["s1"], tool_calls_made: [] }),
    json({ verdict: "pass", feedback: "it is" }),
  );
  const told = await writ(["run", "say it", "--strategy", "plan-work-review"], { cwd: workspace.root });
  expect(told, told.stderr).toMatchObject({ status: 0, stderr: "" });
  expect(vendor.requests.every(({ body }) => body["stream"] === true)).toBe(true);
  expect(told.stdout).toContain("It is said.");
  expect(told.stdout).not.toMatch(/schema_version|"intent"|"output"|"verdict"|\{"/);
});

// Off Linux `script` is another program, with other options; where it is missing, nothing was printed.
const hasTerminal = spawnSync("script", ["--version"]).output?.join("").includes("util-linux") ?? false;

test.runIf(hasTerminal)(
  "at a terminal Ctrl-C stops the message and not the chat, a line beside a running message reaches the agent, and Ctrl-D ends it",
  async () => {
    await using open = await bench();
    const { vendor, workspace } = open;
    vendor.will({ text: "Hello, Ada." }, { nothing: "silence" });
    const chat = writTyped(workspace.root, ["chat"]);
    await chat.until("› ");
    chat.press("are you there?\r");
    await chat.until("Hello, Ada.");
    // Pressed at once: the first message may not have ended, and then this one is carried out after it.
    chat.press("a long story\r");
    await vendor.seen(2);
    chat.press("\u0003");
    await chat.until("canceled");
    // While the agent works, the next line is taken with its next request.
    let goOn: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    vendor.will(
      async () => {
        await isHeld;
        return calling("fs.read", { path: "notes.md" });
      },
      { text: "sous le tapis" },
    );
    chat.press("where is the key?\r");
    await vendor.seen(3);
    chat.press("in French, please\r");
    await chat.until("it reaches the agent with its next step");
    goOn();
    await chat.until("sous le tapis");
    expect(saidOf(sentTo(vendor).at(-1))?.at(-1)).toBe("in French, please");
    expect(vendor.requests).toHaveLength(4);
    chat.press("\u0004");
    expect(await chat.ended, chat.shown()).toBe(0);
    expect(chat.shown()).toContain("go on: writ chat --continue");
    expect((await writ(["session", "verify", "--all"], { cwd: workspace.root })).status).toBe(0);
  },
);
