import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import { fraction, type SessionId, seededRandom } from "#core/values";
import { anchorFile } from "#log";
import { writeGreeting } from "../../../test/support/greeting-session.ts";
import { linesIn, readerOf } from "../../../test/support/raw-reader.ts";
import { SealedWorkspace } from "../../../test/support/sealed-workspace.ts";
import { readAnchors } from "../anchors/read-anchors.ts";
import { verifySession } from "./verify-session.ts";

/** One random bit of every third byte, so that each field of each line is hit; in a campaign all eight of every byte. */
const campaign = Boolean(process.env["WRIT_CAMPAIGN"]);
const workspace = new SealedWorkspace();
let one: SessionId;
let ledgers: { readonly exec: Buffer; readonly evidence: Buffer };

beforeAll(async () => {
  one = (await writeGreeting(workspace.log, { calls: 6, denied: true })).session_id;
  await workspace.shut();
  ledgers = {
    exec: readFileSync(workspace.file(one, "ledger/exec.jsonl")),
    evidence: readFileSync(workspace.file(one, "ledger/evidence.jsonl")),
  };
});
afterAll(() => workspace.remove());

async function changed<T>(file: string, content: Buffer, look: () => Promise<T>): Promise<T> {
  const before = readFileSync(file);
  writeFileSync(file, content);
  try {
    return await look();
  } finally {
    writeFileSync(file, before);
  }
}

describe("a flipped bit", () => {
  test("anywhere in a log of 20 kB is found, and the event is named", async () => {
    const { leaves } = await readAnchors(workspace.root, workspace.key);
    const anchored = leaves.filter(({ session_id }) => session_id === one);
    const bytes = readFileSync(workspace.file(one, ".events.jsonl"));
    expect(bytes.length).toBeGreaterThan(20_000);
    const options = { schemas: shippedRegistry(), rules: ledgerRules, anchored };
    expect((await verifySession(one, { ...options, reader: readerOf(bytes, ledgers) })).ok).toBe(true);
    const { readLedger } = readerOf(bytes, ledgers);
    const random = seededRandom(5);
    const missed: string[] = []; // gathered: asserting each of them would take as long as a sixth of the verifying
    let line = 1;
    const bitsAt = (at: number, original: number) => {
      if (campaign) return [0, 1, 2, 3, 4, 5, 6, 7];
      return at % 3 === 0 || original === 10 ? [Math.floor(fraction(random) * 8)] : [];
    };
    for (let at = 0; at < bytes.length; at++) {
      const original = bytes[at] as number;
      for (const bit of bitsAt(at, original)) {
        bytes[at] = original ^ (1 << bit);
        const reader = { readLines: linesIn(bytes), readLedger };
        const { ok: isFine, violations } = await verifySession(one, { ...options, reader });
        const named = violations[0]?.at ?? 0;
        const isNamed = named === line || (original === 10 && named === line + 1);
        if (isFine || !isNamed)
          missed.push(`byte ${at}, bit ${bit}: ${isFine ? "fine" : `line ${named}, not ${line}`}`);
      }
      bytes[at] = original;
      if (original === 10) line += 1;
    }
    expect(missed).toEqual([]);
  }, 600_000);

  test("in a ledger, and in the anchor log, is found", async () => {
    const random = seededRandom(6);
    for (const file of [
      workspace.file(one, "ledger/exec.jsonl"),
      workspace.file(one, "ledger/evidence.jsonl"),
      anchorFile(workspace.root),
    ]) {
      const bytes = readFileSync(file);
      for (let round = 0; round < (campaign ? bytes.length : 60); round++) {
        const at = campaign ? round : Math.floor(fraction(random) * bytes.length);
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] as number) ^ (1 << Math.floor(fraction(random) * 8));
        const { ok: isFine, notes } = await changed(file, flipped, () => workspace.verifyOne(one));
        if (notes.some(({ kind }) => kind === "anchors_torn")) continue; // its last LF: looks like a write that was cut off
        expect(isFine, `${file}, byte ${at}`).toBe(false);
      }
    }
  });

  test("among many edits at once, and a cut at any length, is found", async () => {
    const { leaves } = await readAnchors(workspace.root, workspace.key);
    const anchored = leaves.filter(({ session_id }) => session_id === one);
    const options = { schemas: shippedRegistry(), rules: ledgerRules, anchored };
    const whole = readFileSync(workspace.file(one, ".events.jsonl"));
    const { readLedger } = readerOf(whole, ledgers);
    const random = seededRandom(9);
    const below = (most: number) => Math.floor(fraction(random) * most);
    const isFound = async (bytes: Buffer) =>
      !(await verifySession(one, { ...options, reader: { readLines: linesIn(bytes), readLedger } })).ok;
    for (let round = 0; round < (campaign ? 10_000 : 60); round++) {
      const edited = Buffer.from(whole);
      for (let edit = 0; edit <= below(8); edit++) {
        const at = below(edited.length);
        edited[at] = (whole[at] as number) ^ (1 + below(255)); // never what was there, however often it is hit
      }
      expect(await isFound(edited), `edits of round ${round}`).toBe(true);
    }
    for (let cut = campaign ? 0 : below(300); cut < whole.length; cut += campaign ? 1 : 400)
      expect(await isFound(whole.subarray(0, cut)), `cut at ${cut}`).toBe(true);
  }, 600_000);
});
