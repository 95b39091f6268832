import { setMaxListeners } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { afterEach, expect, test, vi } from "vitest";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import { canonicalJson, fraction, type Result, type SessionId, seededRandom, systemClock } from "#core/values";
import { verifySession } from "#proof";
import { faultyDisk } from "../../../test/support/disk.ts";
import {
  halted,
  ledgerTexts,
  output,
  readAll,
  start,
  temporaryFolder,
  testLog,
  value,
} from "../../../test/support/log.ts";
import { type Event, type EventInput } from "../event.ts";
import { type SessionLog } from "../event-log.ts";
import { deriveLedgers, emptyLedgers } from "../ledger.ts";
import type { Envelope } from "../line.ts";
import { FlushThread } from "./flush-thread.ts";
import type { JsonlLog } from "./jsonl-log.ts";
import { JsonlReader } from "./jsonl-reader.ts";
import { type JsonlLogOptions } from "./options.ts";
import { sessionPaths } from "./paths.ts";

/** How long the tests here use the log at random; the seed grows from one run to the next. */
const forMs = Number(process.env["WRIT_RANDOM_USE_MS"] ?? 4_500);
const firstSeed = Number(process.env["WRIT_RANDOM_USE_SEED"] ?? 20_261_116);

afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * What one session recorded and which appends were acknowledged: all that a log may show of it, and all that it must.
 */
class ExpectedSession {
  readonly session_id: SessionId;
  /** Staged events; the log does not report which of them became durable. */
  readonly #staged = new Set<string>();
  /** How far it is durable. */
  acknowledged = 0;
  readonly #durable = new Map<number, string>();
  /** What readers were shown, acknowledged or not. */
  readonly #shown = new Map<number, string>();

  constructor(session_id: SessionId) {
    this.session_id = session_id;
  }

  staged({ hash }: Event): void {
    this.#staged.add(hash);
  }

  durable({ seq, hash }: Event): void {
    expect(this.#durable.has(seq), `seq ${seq} is acknowledged twice`).toBe(false);
    this.#durable.set(seq, hash);
    this.acknowledged = Math.max(this.acknowledged, seq);
  }

  /** `atLeast` were acknowledged before the reading began. */
  check(events: readonly Event[], atLeast: number, where: string): void {
    expect(events.length, where).toBeGreaterThanOrEqual(atLeast);
    for (const [index, { seq, hash }] of events.entries()) {
      expect(seq, where).toBe(index + 1);
      for (const known of [this.#durable, this.#shown])
        expect(known.get(seq) ?? hash, `${where}, seq ${seq}`).toBe(hash);
      this.#shown.set(seq, hash);
    }
  }

  /**
   * At the end every append has its outcome: each event in the log was recorded, and each event that was shown is
   * there.
   */
  checkAtEnd(events: readonly Event[], where: string): void {
    this.check(events, Math.max(this.acknowledged, ...this.#shown.keys()), where);
    for (const { seq, hash, type } of events)
      if (type !== "schema.violation" && type !== "log.recovered")
        expect(this.#durable.get(seq) === hash || this.#staged.has(hash), `${where}, seq ${seq} ${type}`).toBe(true);
  }
}

interface Use {
  readonly seed: number;
  readonly lanes: number;
  readonly steps: number;
  readonly options: Partial<JsonlLogOptions>;
  /** Breaks something, or repairs it; repairs everything when `isOver`. */
  readonly disturb?: (
    root: string,
    expected: readonly ExpectedSession[],
    below: (most: number) => number,
    isOver: boolean,
  ) => void;
}

/** Many concurrent callers do anything that is allowed, in any order, and read everything. */
async function useAtRandom({ seed, lanes, steps, options, disturb }: Use): Promise<void> {
  const root = temporaryFolder();
  const log = testLog(root, options);
  const other = new JsonlReader({ root, rules: ledgerRules, clock: systemClock, pollMs: 5 });
  const all: ExpectedSession[] = [];
  const mayFail = disturb !== undefined;
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  const followed: Promise<void>[] = [];

  const lane = async (below: (most: number) => number): Promise<void> => {
    let session: SessionLog | undefined;
    let expected = new ExpectedSession("" as SessionId);

    const settled = (outcome: Result<Event>): void => {
      if (outcome.ok) expected.durable(outcome.value);
      else if (!mayFail) value(outcome);
      else expect(outcome.error.code).toBe("LEDGER_UNAVAILABLE");
    };
    const event = (): EventInput => {
      const kind = below(10);
      if (kind < 4) return halted("h".repeat(1 + below(60)));
      if (kind < 9) return output("é".repeat(below(500)));
      return output("x".repeat(below(12) === 0 ? below(900_000) : below(20_000)));
    };
    /** The caller changes the payload after the call. */
    const append = async (writer: SessionLog, input: EventInput): Promise<void> => {
      const appended = writer.append(input);
      for (const key of Object.keys(input.payload))
        (input.payload as unknown as Record<string, unknown>)[key] = "changed";
      settled(await appended);
    };
    const fresh = (input: EventInput): EventInput => ({ ...input, payload: { ...input.payload } }) as EventInput;
    const stage = (writer: SessionLog): void => {
      const staged = writer.stage(event());
      if (staged.ok) expected.staged(staged.value);
      else if (!mayFail) value(staged);
    };
    const look = async (): Promise<void> => {
      const target = all[below(all.length)];
      if (!target) return;
      const [atLeast, reader] = [target.acknowledged, below(3) > 0 ? log : other];
      if (atLeast === 0) return;
      const entries = below(2) === 0 ? await ledgerTexts(reader, target.session_id, "exec") : [];
      const events = await readAll(reader, target.session_id);
      target.check(events, atLeast, `seed ${seed}: ${target.session_id} read`);
      expect(derived(events).slice(0, entries.length)).toEqual(entries);
    };
    const list = async (): Promise<void> => {
      const atLeast = new Map(all.map(({ session_id, acknowledged }) => [session_id, acknowledged]));
      const listed = new Map<SessionId, number>();
      for await (const info of below(2) === 0 ? log.list() : other.list())
        listed.set(value(info).session_id, value(info).events);
      for (const [session_id, events] of atLeast)
        if (events > 0)
          expect(listed.get(session_id), `seed ${seed}: ${session_id} listed`).toBeGreaterThanOrEqual(events);
    };
    const follow = (target: ExpectedSession): void => {
      const task = async () => {
        const events: Event[] = [];
        for await (const next of log.follow(target.session_id, { signal: over.signal })) {
          events.push(value(next));
        }
        target.check(
          events,
          over.signal.aborted ? 0 : target.acknowledged,
          `seed ${seed}: ${target.session_id} followed`,
        );
      };
      followed.push(task());
    };

    for (let step = 0; step < steps; step++) {
      if (!session) {
        session = value(await log.create({ tier: "ho1" }));
        expected = new ExpectedSession(session.session_id);
        all.push(expected);
        await append(session, fresh(start));
        if (expected.acknowledged > 0 && below(6) === 0) follow(expected);
        continue;
      }
      const writer: SessionLog = session;
      switch (below(16)) {
        case 0:
          stage(writer);
          if (below(2) === 0) await append(writer, event());
          break;
        case 1:
          await Promise.all(Array.from({ length: 1 + below(30) }, () => append(writer, event())));
          break;
        case 2: {
          const refused = await writer.append({ ...start, payload: { tier: below(9) } as never });
          expect(refused.ok).toBe(false);
          break;
        }
        case 3: {
          const last = below(2) === 0 ? append(writer, event()) : undefined;
          const closing = writer.close({ ok: true, status: "success" });
          const [, closed] = [await last, await closing];
          settled(closed);
          if (closed.ok) session = undefined;
          break;
        }
        case 4: {
          const last = below(2) === 0 ? append(writer, event()) : undefined;
          const releasing = writer.release();
          await last;
          const released = await releasing;
          if (!released.ok) {
            expect(mayFail, `seed ${seed}: ${JSON.stringify(released)}`).toBe(true);
            break;
          }
          session = undefined;
          if (below(4) === 0 || expected.acknowledged === 0) break;
          const opened = await log.open(expected.session_id);
          if (opened.ok) session = opened.value;
          else
            expect([mayFail, opened.error.code], `seed ${seed}: ${opened.error.message}`).toEqual([
              true,
              "LEDGER_UNAVAILABLE",
            ]);
          break;
        }
        case 5:
          await list();
          break;
        case 6: {
          const flushed = await Promise.all([log.flush(), log.flush()]);
          if (!mayFail) for (const outcome of flushed) value(outcome);
          break;
        }
        case 7:
          disturb?.(root, all, below, false);
          break;
        case 8:
        case 9:
          await look();
          break;
        default:
          await append(writer, event());
      }
    }
    if (session && below(3) === 0) stage(session);
  };

  const random = seededRandom(seed);
  const outcomes = await Promise.allSettled(
    Array.from({ length: lanes }, (_, index) => {
      const own = seededRandom(seed * 1_000 + index);
      return lane((most) => Math.floor(fraction(own) * most));
    }),
  );
  disturb?.(root, all, (most) => Math.floor(fraction(random) * most), true);
  over.abort();
  outcomes.push(...(await Promise.allSettled(followed)));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  const ended = await log.shutdown();
  if (!mayFail) value(ended);
  const again = testLog(root);
  if (!ended.ok) value(await again.create({ tier: "ho1" })); // finishes the remaining journals
  for (const expected of all) await checkAfterwards(again, expected, seed);
  value(await again.shutdown());
}

function derived(events: readonly Event[]): string[] {
  let heads = emptyLedgers;
  const texts: string[] = [];
  for (const event of events) {
    const lines = deriveLedgers(event as unknown as Envelope, ledgerRules, heads);
    if (!lines) continue;
    heads = lines.heads;
    texts.push(lines.exec.text);
  }
  return texts;
}

async function checkAfterwards(log: JsonlLog, expected: ExpectedSession, seed: number): Promise<void> {
  const where = `seed ${seed}: ${expected.session_id} at the end`;
  if (expected.acknowledged === 0) return;
  const events = await readAll(log, expected.session_id);
  expected.checkAtEnd(events, where);
  expect(await ledgerTexts(log, expected.session_id, "exec"), where).toEqual(derived(events));
  const { violations } = await verifySession(expected.session_id, {
    reader: log,
    schemas: shippedRegistry(),
    rules: ledgerRules,
  });
  expect(
    canonicalJson(violations.filter(({ kind }) => !kind.startsWith("audit_") && kind !== "no_start") as never),
    where,
  ).toBe("[]");
}

/** Runs of one kind, with a seed each, for its share of the time. */
async function forAWhile(use: (seed: number) => Promise<void>): Promise<void> {
  const end = systemClock.monotonic() + forMs / 3;
  for (let seed = firstSeed; seed === firstSeed || systemClock.monotonic() < end; seed++) {
    try {
      await use(seed);
    } catch (thrown) {
      throw new Error(`WRIT_RANDOM_USE_SEED=${seed} shows it again, with luck`, { cause: thrown });
    }
  }
}

const limits = { journalBytes: 60_000, maxBehindBytes: 30_000, idleMs: 3, pauseMs: 10, pollMs: 5, lockWaitMs: 25_000 };

test(
  "used at random, with a thread that files: nothing acknowledged is lost, doubled, moved or mixed up, at any moment",
  async () => {
    const rounds = vi.spyOn(FlushThread.prototype, "flush");
    await forAWhile((seed) => useAtRandom({ seed, lanes: 24, steps: 40, options: { limits } }));
    expect(rounds.mock.calls.length).toBeGreaterThan(0);
  },
  forMs + 30_000,
);

test(
  "the same while the thread dies now and then, and files are in each other's way",
  async () => {
    const inTheWay = new Set<string>();
    const post = Worker.prototype.postMessage;
    await forAWhile((seed) => {
      const random = seededRandom(seed);
      vi.spyOn(Worker.prototype, "postMessage").mockImplementation(function (this: Worker, ...message) {
        post.apply(this, message);
        if (fraction(random) < 0.1) void this.terminate();
      });
      return useAtRandom({
        seed,
        lanes: 16,
        steps: 30,
        options: { limits },
        disturb: (root, expected, below, isOver) => {
          for (const path of inTheWay) rmSync(path, { recursive: true, force: true });
          inTheWay.clear();
          const target = expected[expected.length - 1 - below(4)];
          if (isOver || !target) return;
          const path = sessionPaths(root, "ho1", target.session_id)[below(2) === 0 ? "evidence" : "exec"];
          try {
            mkdirSync(path, { recursive: true });
            inTheWay.add(path);
          } catch {
            // its file is there already
          }
        },
      });
    });
  },
  forMs + 30_000,
);

test(
  "the same on a disk that is full now and then",
  async () => {
    await forAWhile((seed) => {
      const disk = faultyDisk();
      return useAtRandom({
        seed,
        lanes: 16,
        steps: 40,
        options: { limits, disk },
        disturb: (_root, _sessions, below, isOver) => {
          const kind = isOver ? 0 : below(6);
          disk.room = kind === 1 ? below(20_000) : undefined;
          disk.fullFile = kind === 2 ? ".events.jsonl" : kind === 3 ? "exec.jsonl" : undefined;
        },
      });
    });
  },
  forMs + 30_000,
);
