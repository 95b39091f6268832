import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import type { SessionId } from "#core/values";
import { deriveLedgers, emptyLedgers, type LogReader } from "#log";
import { verifySession } from "#proof";
import { halted, ledgerTexts, readAll, temporaryFolder, testLog, value } from "../support/log.ts";
import { runWriter, type WriterOutcome } from "../support/log-writer.ts";

const campaign = process.env["WRIT_CAMPAIGN"] === "1";
/** Kills in each of the two lanes, and kills in a flood: each is a process of its own. */
const kills = campaign ? 1000 : 30;
const floodKills = campaign ? 200 : 6;

/** Every acknowledged event is there, the chain verifies, and the ledgers are what the events say. */
async function expectComplete(log: LogReader, acks: WriterOutcome["acks"], isQuiet = true): Promise<void> {
  const bySession = new Map<string, WriterOutcome["acks"][number][]>();
  for (const ack of acks) bySession.set(ack[0], [...(bySession.get(ack[0]) ?? []), ack]);
  for (const [session_id, expected] of bySession) {
    const events = await readAll(log, session_id as SessionId);
    for (const [, seq, hash] of expected) expect(events[seq - 1]?.hash, `${session_id} seq ${seq}`).toBe(hash);
    let heads = emptyLedgers;
    const ledgers = { exec: [] as string[], evidence: [] as string[] };
    for (const event of events) {
      const derived = deriveLedgers(event as never, ledgerRules, heads);
      if (!derived) continue;
      heads = derived.heads;
      ledgers.exec.push(derived.exec.text);
      if (derived.evidence) ledgers.evidence.push(derived.evidence.text);
    }
    for (const ledger of ["exec", "evidence"] as const) {
      const texts = await ledgerTexts(log, session_id as SessionId, ledger);
      // Another process may recover the session between the two readings, which adds to it.
      expect(isQuiet ? texts : texts.slice(0, ledgers[ledger].length)).toEqual(ledgers[ledger]);
    }
  }
}

const proofOf = (reader: LogReader) => ({ reader, schemas: shippedRegistry(), rules: ledgerRules });

/** A session that was killed before its first event was durable has never been. */
function spoken(sessions: readonly string[], acks: WriterOutcome["acks"]): readonly string[] {
  return sessions.filter((session_id) => acks.some(([acknowledged]) => acknowledged === session_id));
}

describe("a writer that is killed", () => {
  test(
    `at ${2 * kills} random moments, two at a time on one workspace, loses no acknowledged event`,
    async () => {
      const root = temporaryFolder();
      const all: WriterOutcome["acks"][number][] = [];
      const lane = async (seed: number) => {
        let open: readonly string[] = [];
        for (let kill = 0; kill < kills; kill++) {
          const outcome = await runWriter(
            { root, open: kill % 3 === 0 ? [] : open, create: kill % 3 === 0 || open.length === 0 ? 2 : 0 },
            (kill * 7919 + seed) % 61, // the first event loads the validators, which takes some of it
          );
          expect(outcome.errors).toEqual([]);
          expect(outcome.end).toBe("killed");
          await expectComplete(testLog(root), outcome.acks, false); // as a reader finds it, before a process has mended anything
          all.push(...outcome.acks);
          open = spoken(outcome.sessions, all);
        }
      };
      await Promise.all([lane(1), lane(31)]);
      expect(all.length).toBeGreaterThan(kills);
      const log = testLog(root);
      const session = value(await log.create({ tier: "ho1" })); // the last dead are finished by the next writer
      value(await session.append(halted("on")));
      await expectComplete(log, all);
      value(await log.shutdown());
      const left = readdirSync(join(root, "planes/hot/journal"));
      expect(left.filter((name) => !/^workspace.*\.lock$/.test(name))).toEqual([]); // no journal; locks that a process waited for stay
      await expectComplete(testLog(root), all);
    },
    campaign ? 3_600_000 : 240_000,
  );

  test(
    `at ${floodKills} random moments while a thread writes its files loses nothing, and the sessions go on`,
    async () => {
      const root = temporaryFolder();
      const all: WriterOutcome["acks"][number][] = [];
      let open: readonly string[] = [];
      for (let kill = 0; kill < floodKills; kill++) {
        if (kill % 5 === 0) open = [];
        const outcome = await runWriter(
          { root, open, create: 12 - open.length, flood: true },
          ((kill * 7919) % 61) / 2,
        );
        expect(outcome).toMatchObject({ end: "killed", errors: [] });
        await expectComplete(testLog(root), outcome.acks);
        all.push(...outcome.acks);
        open = spoken(outcome.sessions, all);
      }
      const log = testLog(root);
      for (const session_id of open) value(await value(await log.open(session_id as SessionId)).append(halted("on")));
      await expectComplete(log, all);
    },
    campaign ? 3_600_000 : 240_000,
  );

  const failpoints = [
    "journal.before-write",
    "journal.after-write",
    "journal.after-sync",
    "flush.before",
    "flush.between-files",
    "flush.after",
    "rotate.before",
    "rotate.after-new",
    "rotate.after-sync",
  ];
  test.each(failpoints)("at %s loses nothing, and the session goes on", async (failpoint) => {
    const root = temporaryFolder();
    let open: readonly string[] = [];
    const all: WriterOutcome["acks"][number][] = [];
    for (const hit of campaign ? [1, 2, 3, 5, 8, 13, 21] : [1, 3]) {
      const outcome = await runWriter({ root, open, create: open.length === 0 ? 2 : 0, failpoint, hit });
      expect(outcome).toMatchObject({ end: "killed", errors: [] });
      all.push(...outcome.acks);
      await expectComplete(testLog(root), all);
      open = spoken(outcome.sessions, all);
    }
    const log = testLog(root);
    for (const session_id of open) value(await value(await log.open(session_id as SessionId)).append(halted("on")));
    await expectComplete(log, all);
    for (const session_id of open)
      expect((await readAll(log, session_id as SessionId)).map(({ type }) => type)).toContain("log.recovered");
  });

  test.each(["recover.before-cut", "recover.after-cut", "recover.before-drop"])(
    "while it recovers another, at %s: the next one finishes",
    async (failpoint) => {
      const root = temporaryFolder();
      const first = await runWriter({ root, failpoint: "flush.between-files", hit: 3 });
      expect(first.end).toBe("killed");
      for (const hit of [1, 2]) {
        const second = await runWriter({
          root,
          create: 0,
          open: first.sessions,
          failpoint,
          hit: failpoint === "recover.before-drop" ? 1 : hit,
        });
        expect(second).toMatchObject({ end: "killed", errors: [] });
        await expectComplete(testLog(root), first.acks);
      }
      const log = testLog(root);
      for (const session_id of first.sessions)
        value(await value(await log.open(session_id as SessionId)).append(halted("on")));
      await expectComplete(log, first.acks);
    },
  );

  test.each([
    ["close.before-heads", false],
    ["close.after", true],
  ] as const)("at %s: closed is %s, and an open one comes to its end", async (failpoint, isClosed) => {
    const root = temporaryFolder();
    for (const hit of campaign ? [1, 2, 3] : [1, 2]) {
      const outcome = await runWriter({ root, create: 3, closing: true, failpoint, hit });
      expect(outcome).toMatchObject({ end: "killed", errors: [] });
      await expectComplete(testLog(root), outcome.acks);
      const log = testLog(root);
      const ends: string[] = [];
      for (const session_id of spoken(outcome.sessions, outcome.acks)) {
        const last = (await readAll(log, session_id as SessionId)).at(-1);
        const opened = await log.open(session_id as SessionId);
        if (last?.type === "session.close") {
          ends.push("closed");
          expect(opened).toMatchObject({ ok: false, error: { code: "SESSION_CLOSED" } });
        } else {
          ends.push("open");
          value(await value(opened).close({ ok: true, status: "success" })); // it goes on to a proper end
          expect((await verifySession(session_id as SessionId, proofOf(log))).violations).not.toContainEqual(
            expect.objectContaining({ kind: "ledger_head" }),
          );
        }
      }
      expect(ends.filter((end) => end === "closed").length).toBeGreaterThanOrEqual(isClosed ? hit : 0);
      expect(ends).toContain(isClosed ? "closed" : "open");
      value(await log.shutdown());
    }
  });

  test("after it closed its sessions leaves them closed, and tells who may still need an anchor", async () => {
    const root = temporaryFolder();
    const outcome = await runWriter({ root, create: 3, closing: true, failpoint: "journal.after-sync", hit: 45 });
    const recovered: string[] = [];
    const log = testLog(root, {
      onRecovered: (sessions) =>
        recovered.push(...sessions.filter(({ closed }) => closed).map(({ session_id }) => session_id)),
    });
    value(await log.create({ tier: "ho1" }));
    await expectComplete(log, outcome.acks);
    for (const session_id of recovered)
      expect(await log.open(session_id as SessionId)).toMatchObject({ ok: false, error: { code: "SESSION_CLOSED" } });
  });
});

test("two processes write into one workspace at once, and each other's sessions are out of reach", async () => {
  const root = temporaryFolder();
  const [a, b] = await Promise.all([
    runWriter({ root, closing: true, create: 5 }),
    runWriter({ root, closing: true, create: 5 }),
  ]);
  for (const outcome of [a, b]) expect(outcome).toMatchObject({ end: "done", errors: [] });
  await expectComplete(testLog(root), [...a.acks, ...b.acks]);
  const log = testLog(root);
  const session = value(await log.create({ tier: "ho1" }));
  value(await session.append(halted("mine")));
  const refused = await runWriter({ root, open: [session.session_id], create: 0 });
  expect(refused.errors.join()).toContain("SESSION_BUSY");
});
