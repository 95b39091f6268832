import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ledgerRules } from "#core/contracts";
import { type SessionId, systemClock } from "#core/values";
import { testLog, value } from "../../../../test/support/greeting-session.ts";
import { type NewestOptions } from "../../event-log.ts";
import { newestOf } from "../../newest-sessions.ts";
import { JsonlReader } from "../jsonl-reader.ts";
import { SessionIndex } from "./session-index.ts";

let root: string;
let log: ReturnType<typeof testLog>["log"];
let pass: (ms: number) => void;
let seed = 40;
const made: SessionId[] = [];

/** A short session; every third fails, every fifth is no order's. */
async function add(how: { readonly leaveOpen?: boolean } = {}): Promise<SessionId> {
  pass(1_000);
  const number = made.length;
  const session = value(await log.create({ tier: number % 7 === 0 ? "ho2" : "ho1" }));
  const start = {
    tier: session.tier,
    framework_id: "FMWK-005",
    prompt_hash: "0".repeat(64),
    provider: "scripted",
    profile: "demo",
    caller_id: "ada@local",
  };
  const work_order_id = number % 5 === 0 ? "APPROVAL" : `WO-20261115-${number}`;
  value(await session.append({ type: "session.start", actor: "flow", payload: { ...start, work_order_id } }));
  if (how.leaveOpen) value(await session.release());
  else value(await session.close({ ok: number % 3 !== 0, status: number % 3 === 0 ? "failure" : "success" }));
  made.push(session.session_id);
  return session.session_id;
}

function begin(): void {
  seed += 1;
  ({ log, pass } = testLog(root, seed));
  pass(seed * 1_000_000);
}

/** As another process reads: nothing of it is in memory. */
const reader = () => new JsonlReader({ root, rules: ledgerRules, clock: systemClock, pollMs: 10 });
const eventsOf = (session_id: SessionId) =>
  ["ho1", "ho2"]
    .map((tier) => join(root, "planes", tier, "sessions", session_id, ".events.jsonl"))
    .find((file) => existsSync(file)) as string;

const questions: readonly NewestOptions[] = [
  { limit: 10 },
  { limit: 1, ordersFirst: true },
  { limit: 1_000 },
  { limit: 5, only: "failed" },
  { limit: 5, only: "open" },
];

/** What the index answers is what reading every file answers. */
async function expectTheSame(at: JsonlReader = reader()): Promise<void> {
  for (const question of questions) {
    const { damaged, ...found } = value(await at.newest(question));
    const { damaged: __, ...whole } = value(await newestOf(reader().list(), question));
    expect(found).toEqual(whole);
    expect(damaged).toEqual([]);
  }
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "writ-index-"));
  begin();
  for (let number = 0; number < 130; number++) await add();
  await add({ leaveOpen: true });
  value(await log.shutdown());
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the newest sessions", () => {
  test("are found by an index that the first listing makes, also beside another process that does the same", async () => {
    expect(existsSync(SessionIndex.fileIn(root))).toBe(false);
    await Promise.all([expectTheSame(), expectTheSame()]);
    expect(existsSync(SessionIndex.fileIn(root))).toBe(true);
    await expectTheSame();
  });

  test("the files of others are not opened", async () => {
    const old = eventsOf(made[3] as SessionId);
    chmodSync(old, 0o644);
    const bytes = readFileSync(old);
    writeFileSync(old, "damage");
    expect(value(await reader().newest({ limit: 10 })).damaged).toEqual([]);
    const all = value(await reader().newest({ limit: 1_000 })); // it is shown, so it is looked at
    expect(all.damaged).toHaveLength(1);
    expect(all.total).toBe(made.length - 1);
    expect(value(await reader().newest({ limit: 10 })).damaged).toHaveLength(1); // and from then on it is known
    writeFileSync(old, bytes);
    await expectTheSame();
  });

  test("those that a writer adds are there: before it files them, beside it, and after it ended", async () => {
    begin();
    await add();
    await expectTheSame();
    await expectTheSame(log);
    value(await log.flush());
    await expectTheSame();
    await add({ leaveOpen: true });
    value(await log.shutdown());
    const index = SessionIndex.open(root, { create: false });
    expect(index?.unread().length).toBeGreaterThan(0); // the writer named them
    index?.close();
    await expectTheSame();
  });

  test("two writers at once, and a listing between them", async () => {
    begin();
    const first = { log, pass };
    await add();
    value(await log.flush());
    begin();
    await add();
    value(await log.shutdown());
    await expectTheSame();
    ({ log, pass } = first);
    await add();
    value(await log.shutdown());
    await expectTheSame();
  });

  test("an open one that was resumed and ended is told as it is", async () => {
    begin();
    const open = value(await reader().newest({ limit: 5, only: "open" })).sessions;
    expect(open.length).toBeGreaterThan(0);
    const session = value(await log.open(open[0]?.session_id as SessionId));
    await expectTheSame();
    value(await session.close({ ok: false, status: "failure" }));
    value(await log.shutdown());
    await expectTheSame();
  });

  test("folders that came by another way, or went, are noticed", async () => {
    const copied = mkdtempSync(join(tmpdir(), "writ-index-copy-"));
    const folder = join(eventsOf(made[9] as SessionId), "..");
    cpSync(folder, join(copied, "kept"), { recursive: true });
    rmSync(folder, { recursive: true });
    await expectTheSame();
    cpSync(join(copied, "kept"), folder, { recursive: true });
    await expectTheSame();
    rmSync(copied, { recursive: true });
  });

  test("a session that ends short, or is emptied, is told with its damage when it is shown", async () => {
    const newest = eventsOf(made.at(-1) as SessionId);
    const bytes = readFileSync(newest);
    truncateSync(newest, 0);
    expect(value(await reader().newest({ limit: 3 })).damaged[0]?.message).toContain("was emptied");
    writeFileSync(newest, bytes.subarray(0, bytes.length - 3));
    expect(value(await reader().newest({ limit: 3 })).damaged[0]?.message).toContain("does not verify");
    writeFileSync(newest, bytes);
    await expectTheSame();
  });

  test.each<[string, () => void]>([
    ["was deleted", () => rmSync(SessionIndex.fileIn(root))],
    ["is no database", () => writeFileSync(SessionIndex.fileIn(root), "x".repeat(5_000))],
    [
      "has damaged pages",
      () => writeFileSync(SessionIndex.fileIn(root), spoiled(readFileSync(SessionIndex.fileIn(root)))),
    ],
  ])("an index that %s is made anew", async (_, change) => {
    for (const part of ["-wal", "-shm"]) rmSync(`${SessionIndex.fileIn(root)}${part}`, { force: true });
    change();
    await expectTheSame();
    const index = SessionIndex.open(root, { create: false });
    expect([...(index?.idsOf("ho1") ?? [])].length).toBeGreaterThan(100);
    index?.close();
  });

  test("killed between its files and the index, a writer hides no session", async () => {
    begin();
    const lost = await add();
    value(await log.flush());
    const copy = mkdtempSync(join(tmpdir(), "writ-index-killed-"));
    cpSync(root, copy, { recursive: true }); // as a kill would leave it: journal, files and index as they are now
    value(await log.shutdown());
    const [own] = [root];
    root = copy;
    try {
      await expectTheSame();
      begin();
      await add(); // finishes the dead journal
      value(await log.shutdown());
      await expectTheSame();
      expect(value(await reader().newest({ limit: 1_000 })).sessions.map(({ session_id }) => session_id)).toContain(
        lost,
      );
    } finally {
      made.pop();
      root = own;
      rmSync(copy, { recursive: true });
    }
  });
});

function spoiled(bytes: Buffer): Buffer {
  return bytes.fill(0x5a, 4_096);
}
