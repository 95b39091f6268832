import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SessionId, sha256, systemClock } from "#core/values";
import { anchorFile, type Disk, realDisk } from "#log";
import { type NewLeaf, openLeaf } from "../anchor-leaf.ts";
import { AnchorLog } from "../anchor-log.ts";
import { type AnchorView, readAnchors, readAnchorsOf, viewOf } from "../read-anchors.ts";
import { parseSigningKey, type SigningKey } from "../signing-key.ts";
import { frontierFile, indexFolder } from "./frontier.ts";

let root: string;
let key: SigningKey;
/** Sessions whose heads were added, the first of them twice. */
const count = 900;

function newKey(file: string): SigningKey {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  writeFileSync(file, pem);
  const parsed = parseSigningKey(pem, file);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

const sessionOf = (number: number) => `SES-20261115-${String(number).padStart(20, "0")}` as SessionId;
const leaf = (number: number): NewLeaf => openLeaf(sessionOf(number), { seq: 2, hash: sha256(`head ${number}`) });
/** Nothing here is about power cuts. */
const unsynced: Disk = { ...realDisk, sync: async () => undefined, syncFolder: async () => undefined };
const log = () => new AnchorLog({ root, key, clock: systemClock });
const segments = () => readdirSync(indexFolder(root)).filter((name) => name.endsWith(".heads"));

/** Changes files, asks, and puts them back. */
async function changed<T>(change: () => void, ask: () => Promise<T>): Promise<T> {
  const files = [anchorFile(root), ...readdirSync(indexFolder(root)).map((name) => join(indexFolder(root), name))];
  const before = files.map((file) => [file, readFileSync(file)] as const);
  change();
  try {
    return await ask();
  } finally {
    for (const [file, bytes] of before) writeFileSync(file, bytes);
  }
}

/** What reading the whole log says of a session. */
async function wholly(session_id: SessionId): Promise<AnchorView> {
  return viewOf(await readAnchors(root, key), session_id);
}

/** Another letter in the middle of a file. */
function spoil(file: string, at = 100): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(file, bytes);
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "writ-frontier-"));
  key = newKey(join(root, "signing.pem"));
  // Batches of many sizes by several writers, each of which reads what the others added.
  const quick = () => new AnchorLog({ root, key, clock: systemClock, disk: unsynced });
  let writers = [quick(), quick()];
  let added = 0;
  for (let batch = 0; added < count; batch++) {
    if (batch % 50 === 49) {
      for (const writer of writers) writer.close();
      writers = [quick(), quick()];
    }
    const size = Math.min(count - added, 1 + ((batch * 7) % 5));
    const numbers = Array.from({ length: size }, (_, at) => added + at);
    const writer = writers[batch % 2] as AnchorLog;
    await Promise.all(numbers.map((number) => writer.add(leaf(number), { isUnanchored: true })));
    added += size;
  }
  const last = writers[0] as AnchorLog;
  await last.add(openLeaf(sessionOf(0), { seq: 9, hash: sha256("grown") }));
  for (const writer of writers) writer.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the signed frontier of the anchor log", () => {
  test("says of a session what the whole log says, from few files", async () => {
    const record = await readAnchors(root, key);
    expect(record).toMatchObject({ faults: [], torn: 0 });
    expect(record.leaves).toHaveLength(count + 1);
    for (const number of [0, 1, 17, 500, 834, count - 1, count + 5]) {
      const session_id = sessionOf(number);
      expect(await readAnchorsOf(session_id, root, key)).toEqual(viewOf(record, session_id));
    }
    expect(segments().length).toBeLessThan(20);
  });

  test("what stands before it is not read again: damage there is for `verify --all` to find", async () => {
    const at = await changed(
      () => spoil(anchorFile(root)),
      async () => [
        (await readAnchorsOf(sessionOf(700), root, key)).faults.length,
        (await readAnchors(root, key)).faults.length,
        (await log().add(leaf(count))).ok,
      ],
    );
    expect(at).toEqual([0, expect.any(Number), true]);
    expect(at[1]).toBeGreaterThan(0);
  });

  test("a head behind it is covered, contradicted or added as one in the tail is", async () => {
    const writer = log();
    const before = await wholly(sessionOf(3));
    expect((await writer.add(leaf(3))).ok).toBe(true);
    expect(await writer.standing(sessionOf(0))).toEqual({ ok: true, value: { seq: 9, hash: sha256("grown") } });
    expect(await writer.standing(sessionOf(count + 9))).toEqual({ ok: true, value: undefined });
    expect((await wholly(sessionOf(3))).heads).toBe(before.heads);
    const rewritten = { ...leaf(3), head_hash: sha256("rewritten") };
    expect(await writer.add(rewritten)).toMatchObject({ ok: false, error: { code: "LEDGER_CORRUPT" } });
    writer.close();
  });

  test.each<[string, () => void]>([
    ["is missing", () => rmSync(frontierFile(root))],
    ["is cut short", () => truncateSync(frontierFile(root), 40)],
    [
      "claims another size",
      () => writeFileSync(frontierFile(root), frontierText().replace('"tree_size":', '"tree_size":1')),
    ],
    [
      "names no segment",
      () => writeFileSync(frontierFile(root), frontierText().replace(/"segments":\[.*?\]/, '"segments":[]')),
    ],
    ["lacks a segment", () => rmSync(join(indexFolder(root), segments()[0] as string))],
    ["has a segment with another byte", () => void segments().map((name) => spoil(join(indexFolder(root), name)))],
    ["has a segment with other fences", () => void segments().map((name) => spoilEnd(join(indexFolder(root), name)))],
    ["is by a stranger", () => writeFileSync(frontierFile(root), signedByStranger())],
  ])("one that %s is not believed: the log is read", async (_, change) => {
    const session_id = sessionOf(700);
    const whole = await wholly(session_id);
    const found = await changed(change, async () => {
      const writer = log();
      const refused = await writer.add({ ...leaf(700), head_hash: sha256("rewritten") });
      writer.close();
      return { view: await readAnchorsOf(session_id, root, key), refused: refused.ok };
    });
    expect(found).toEqual({ view: whole, refused: false });
  });

  test("a log that is shorter than it is read from its start, and written on from where it ends", async () => {
    const lines = readFileSync(anchorFile(root), "utf8").split("\n");
    const cut = lines.findIndex((line, at) => at > 300 && line.includes('"kind":"checkpoint"')) + 1;
    const found = await changed(
      () => writeFileSync(anchorFile(root), `${lines.slice(0, cut).join("\n")}\n`),
      async () => {
        const writer = log();
        const { ok } = await writer.add(leaf(count));
        writer.close();
        return {
          ok,
          faults: (await readAnchors(root, key)).faults,
          view: await readAnchorsOf(sessionOf(count), root, key),
        };
      },
    );
    expect(found).toMatchObject({ ok: true, faults: [], view: { faults: [], leaves: [leaf(count)] } });
  });

  test("a workspace without one is read once, and has one from then on", async () => {
    rmSync(indexFolder(root), { recursive: true });
    const writer = log();
    expect((await writer.add(leaf(count + 1))).ok).toBe(true);
    expect(existsSync(frontierFile(root))).toBe(true);
    expect(segments()).toHaveLength(1);
    expect(await readAnchorsOf(sessionOf(0), root, key)).toEqual(await wholly(sessionOf(0)));
    expect((await writer.add({ ...leaf(0), head_hash: sha256("rewritten") })).ok).toBe(true); // older than seq 9: it adds nothing
    expect((await writer.add({ ...leaf(5), head_hash: sha256("rewritten") })).ok).toBe(false);
    writer.close();
  });

  test("a disk without room for it fails no anchor", async () => {
    rmSync(indexFolder(root), { recursive: true });
    writeFileSync(indexFolder(root), "no folder");
    const writer = log();
    expect((await writer.add(leaf(count + 2))).ok).toBe(true);
    writer.close();
    expect((await readAnchorsOf(sessionOf(count + 2), root, key)).leaves).toHaveLength(1);
    rmSync(indexFolder(root));
  });
});

function frontierText(): string {
  return readFileSync(frontierFile(root), "utf8");
}

function spoilEnd(file: string): void {
  spoil(file, readFileSync(file).length - 20);
}

function signedByStranger(): string {
  const stranger = newKey(join(root, "stranger.pem"));
  const { key_id: _, signature: __, ...frontier } = JSON.parse(frontierText()) as Record<string, unknown>;
  const said = { ...frontier, key_id: key.key_id, signature: stranger.sign("writ anchor frontier v1") };
  return JSON.stringify(said);
}
