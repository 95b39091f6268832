// The power goes between any two calls to the disk: the workspace is rebuilt from what was synced, and from whatever luck left of the rest.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import { createIds, fraction, type SessionId, seededRandom, systemClock, systemRandom } from "#core/values";
import { JsonlLog } from "#log";
import { verifySession } from "#proof";
import { type JsonlLogOptions } from "../../src/log/jsonl/options.ts";
import { halted, output, readAll, start, temporaryFolder, value } from "../support/log.ts";
import { type DiskStep, imageAfterCut, type Luck, recordingDisk, writeImage } from "../support/power-loss.ts";

const campaign = process.env["WRIT_CAMPAIGN"] === "1";
const schemas = shippedRegistry();

function openLog(root: string, options: Partial<JsonlLogOptions> = {}): JsonlLog {
  const ids = createIds(systemClock, systemRandom);
  const redactor = { redactJson: <T>(given: T) => ({ value: given }) };
  return new JsonlLog({ root, schemas, redactor, clock: systemClock, ids, ...options });
}

/** Small generations, so that journals are rotated and dropped; large payloads, so that batches have many pages. */
async function writeRecorded(root: string): Promise<readonly DiskStep[]> {
  const { disk, steps } = recordingDisk(root);
  const log = openLog(root, { disk, limits: { journalBytes: 40_000, maxBehindBytes: 60_000, idleMs: 3 } });
  const sessions = await Promise.all([1, 2, 3].map(async () => value(await log.create({ tier: "ho1" }))));
  const say = (event: { readonly session_id: string; readonly seq: number; readonly hash: string }) =>
    steps.push({ kind: "ack", session_id: event.session_id, seq: event.seq, hash: event.hash });
  await Promise.all(
    sessions.map(async (session, lane) => {
      say(value(await session.append(start)));
      for (let round = 1; round <= 14; round++) {
        value(session.stage(halted(`staged ${round}`)));
        const size = round % 5 === 0 ? 20_000 : (round * 371) % 1_500;
        say(value(await session.append(round % 3 === lane ? halted(`round ${round}`) : output("€".repeat(size)))));
        if (round % 4 === lane) await new Promise((resolve) => setTimeout(resolve, 8)); // files are written when it rests
      }
      if (lane !== 2) say(value(await session.close({ ok: true, status: "success" })));
    }),
  );
  value(await log.shutdown());
  return steps;
}

function randomLuck(seed: number): Luck {
  const drawn = new Map<number, ReturnType<Luck>>();
  const random = seededRandom(seed);
  return (step) => {
    const known = drawn.get(step);
    if (known) return known;
    const chance = fraction(random);
    const fate = chance < 0.4 ? "lost" : chance < 0.7 ? "whole" : "part";
    drawn.set(step, fate);
    return fate;
  };
}

async function expectNothingLost(steps: readonly DiskStep[], cut: number, luck: Luck): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "writ-power-"));
  try {
    writeImage(imageAfterCut(steps, cut, luck), root);
    const log = openLog(root);
    value(await log.create({ tier: "ho1" })); // whoever comes next finishes the dead journal
    const acknowledged = new Map<string, { readonly seq: number; readonly hash: string }[]>();
    for (const step of steps.slice(0, cut))
      if (step.kind === "ack") acknowledged.set(step.session_id, [...(acknowledged.get(step.session_id) ?? []), step]);
    for (const [id, acks] of acknowledged) {
      const session_id = id as SessionId;
      const events = await readAll(log, session_id);
      for (const { seq, hash } of acks) expect(events[seq - 1]?.hash, `${id} seq ${seq}, cut at ${cut}`).toBe(hash);
      const proof = { reader: log, schemas, rules: ledgerRules };
      const { violations } = await verifySession(session_id, proof);
      // These sessions close without the work that an audit asks for; their bytes, links and ledgers are what counts here.
      expect(violations.filter(({ kind }) => !kind.startsWith("audit_"))).toEqual([]);
      if (events.at(-1)?.type !== "session.close")
        value(await value(await log.open(session_id)).append(halted("the power is back")));
    }
    value(await log.shutdown());
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

describe("when the power goes", () => {
  test(
    `after any of ${campaign ? "all" : "twenty"} steps, every acknowledged event is there, all ledgers verify, writing goes on`,
    async () => {
      const steps = await writeRecorded(temporaryFolder());
      expect(steps.filter(({ kind }) => kind === "remove").length).toBeGreaterThan(1); // generations were dropped
      const every = campaign ? 1 : Math.ceil(steps.length / 20);
      for (let cut = steps.length % every; cut <= steps.length; cut += every) {
        await expectNothingLost(steps, cut, () => "lost");
        await expectNothingLost(steps, cut, randomLuck(cut));
        if (!campaign) continue;
        await expectNothingLost(steps, cut, () => "whole");
        await expectNothingLost(steps, cut, () => "part");
        for (let again = 1; again <= 3; again++) await expectNothingLost(steps, cut, randomLuck(cut + again * 7919));
      }
    },
    campaign ? 3_600_000 : 600_000,
  );

  test("the images would show a sync that is missing", async () => {
    const steps = await writeRecorded(temporaryFolder());
    const journal = steps.find((step) => step.kind === "write" && step.path.includes("journal"));
    const path = journal?.kind === "write" ? journal.path : "";
    const unsynced = steps.filter((step) => !(step.kind === "sync" && step.path === path));
    const cut = unsynced.findIndex(({ kind }) => kind === "ack") + 1;
    await expect(expectNothingLost(unsynced, cut, () => "lost")).rejects.toThrow();
  });
});
