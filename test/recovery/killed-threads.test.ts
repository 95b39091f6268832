// A long conversation whose process is killed again and again: nothing is lost, nothing is said twice, and each message costs the
// same bytes. The whole is a campaign: WRIT_CAMPAIGN=1, 200 messages.
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { fraction, isSessionId, seededRandom } from "#core/values";
import { joined } from "../support/joined.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";

const isCampaign = process.env["WRIT_CAMPAIGN"] === "1";
const [length, kills, branchEvery] = isCampaign ? [200, 80, 20] : [8, 3, 4];

const rules = [
  { when: { role: "worker", call: 1 }, respond: { tool_calls: [{ name: "fs.read", args: { path: "notes.md" } }] } },
  { when: { role: "worker", call: 2 }, respond: { text: "read for ${prompt}" } },
];

/** Runs until it ends, or is killed so long after it was ready. */
async function talk(script: string, args: readonly string[], killAfter: number | undefined) {
  const child: ChildProcess = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  let timer: NodeJS.Timeout | undefined;
  child.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (killAfter !== undefined) timer ??= setTimeout(() => child.kill("SIGKILL"), killAfter);
  });
  await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  return said.split("\n").filter((line) => line !== "" && line !== "ready");
}

test(`a thread of ${length} messages whose process is killed ${kills} times holds each message once, in its order, and grows by the same`, {
  timeout: isCampaign ? 3_600_000 : 120_000,
  // A kill between session.start, which holds the message's place, and wo.started ends that message as a failure that says "submit the
  // order again". The window is milliseconds wide and known; it is to be closed by confirming the place with wo.started.
  retry: isCampaign ? 0 : 2,
}, async () => {
  const script = joined(fileURLToPath(new URL("../support/thread-child.ts", import.meta.url)));
  const random = seededRandom(26);
  await using workspace = await testWorkspace({ rules, files: { "notes.md": "the key is under the mat\n" } });
  const thread = workspace.runtime.threads.begin();
  expect((await thread.send("message 0").result).status).toBe("success");
  const { thread_id } = thread;
  let done = 0;
  let branches = 0;
  for (let left = kills; done < length; left--) {
    await workspace.runtime.close();
    const to = Math.min(length, isCampaign ? done + branchEvery : length);
    const said = await talk(
      script,
      [workspace.root, thread_id, String(done + 1), String(to)],
      left > 0 ? Math.floor(fraction(random) * (isCampaign ? 600 : 300)) : undefined,
    );
    expect(said).toEqual(said.map((_, index) => `done ${done + 1 + index}`));
    done += said.length;
    await workspace.reopen();
    if (Math.floor(done / branchEvery) > branches) {
      branches += 1;
      await branchFrom(done);
    }
  }

  /** From an earlier message a thread of its own begins, and the first one does not change. */
  async function branchFrom(position: number): Promise<void> {
    const { threads } = workspace.runtime;
    const whole = await threads.read(thread_id);
    if (!whole.ok) throw new Error(whole.error.message);
    const at = Math.floor(fraction(random) * (position - 1));
    const earlier = whole.value.messages[at]?.session_id ?? "";
    if (!isSessionId(earlier)) throw new Error(`message ${at} has no session`);
    const branch = await threads.after(earlier);
    if (!branch.ok) throw new Error(branch.error.message);
    expect(branch.value.thread_id).not.toBe(thread_id);
    expect((await branch.value.send(`message ${900 + branches}`).result).response).toContain("read for");
    const events = await workspace.events(earlier);
    const forked = await workspace.runtime.forkSession(earlier, { at: events.length - 1 });
    expect(forked).toMatchObject({ ok: true, value: { status: "success" } });
  }

  const read = await workspace.runtime.threads.read(thread_id);
  if (!read.ok) throw new Error(read.error.message);
  const numbers = Array.from({ length: length + 1 }, (_, index) => index);
  expect(read.value.messages.map(({ position, text, answer, status }) => [position, text, answer, status])).toEqual(
    numbers.map((number) => [number + 1, `message ${number}`, `read for message ${number}`, "success"]),
  );
  expect(branches).toBeGreaterThan(0);

  // What the next message is sent is the whole conversation, each part of it once.
  const sessions = read.value.messages.map(({ session_id }) => session_id ?? "");
  const said = (await Promise.all(sessions.map((id) => workspace.events(id)))).flat();
  const requests = said.flatMap((event) => (event.type === "llm.request" ? [event.payload.new_messages] : [])).flat();
  expect(requests.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual(
    numbers.map((number) => `message ${number}`),
  );
  const answered = await workspace.runtime.threads.after(sessions.at(-1) as never);
  expect(answered.ok && answered.value.thread_id).toBe(thread_id);
  for (const id of sessions)
    expect(await workspace.runtime.verifySession(id as never)).toMatchObject({ ok: true, violations: [] });

  // Sessions that no kill fell into cost the same, at the beginning and at the end.
  await workspace.runtime.close();
  const quiet = sessions.filter(
    (id) => !said.some((event) => event.session_id === id && event.type === "session.resumed"),
  );
  const sizes = quiet.map((id) => sizeOf(join(workspace.root, "planes", "ho1", "sessions", id)));
  const [early, late] = [sizes.slice(1, 4), sizes.slice(-3)].map((few) => Math.max(...few));
  expect(late).toBeLessThan((early ?? 0) * 1.1);
});

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
