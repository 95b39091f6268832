import { generateKeyPairSync } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { type SessionId, sha256, systemClock } from "#core/values";
import { anchorFile, type Disk, realDisk } from "#log";
import { type AnchorLeaf, openLeaf } from "./anchor-leaf.ts";
import { AnchorLog } from "./anchor-log.ts";
import { type AnchorCheckpoint, checkpointFile, parseCheckpoint, sealCheckpoint } from "./checkpoint.ts";
import { MerkleTree } from "./merkle.ts";
import { checkProof, type Proof, proveSession, proveSince } from "./proof.ts";
import { readAnchors } from "./read-anchors.ts";
import { loadSigningKey, type SigningKey } from "./signing-key.ts";
import { loadVerifyingKey } from "./succession.ts";

let root: string;
let key: SigningKey;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "writ-anchors-"));
  const pair = generateKeyPairSync("ed25519");
  writeFileSync(join(root, "signing.pem"), pair.privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(join(root, "signing.pub.pem"), pair.publicKey.export({ type: "spki", format: "pem" }));
  const loaded = loadSigningKey(join(root, "signing.pem"));
  if (!loaded.ok) throw new Error(loaded.error.message);
  key = loaded.value;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const log = (disk: Disk = realDisk) => new AnchorLog({ root, key, clock: systemClock, disk });
const leaf = (number: number): Omit<AnchorLeaf, "kind"> => ({
  session_id: `SES-20261115-${String(number).padStart(20, "0")}`,
  seq: number + 1,
  head_hash: sha256(`head ${number}`),
  exec_head: sha256("exec"),
  evidence_head: sha256("evidence"),
  closed_at: "2026-11-15T04:16:33.123Z",
});
function strangersKey(): SigningKey {
  const file = join(root, "stranger.pem");
  writeFileSync(file, generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }));
  const loaded = loadSigningKey(file);
  if (!loaded.ok) throw new Error(loaded.error.message);
  return loaded.value;
}
const lines = () => readFileSync(anchorFile(root), "utf8").trimEnd().split("\n");

describe("the anchor log", () => {
  test("puts many heads under one root and one signature", async () => {
    const anchors = log();
    const results = await Promise.all(Array.from({ length: 500 }, (_, number) => anchors.add(leaf(number))));
    expect(results.every(({ ok }) => ok)).toBe(true);
    const record = await readAnchors(root, key);
    expect(record).toMatchObject({ faults: [], torn: 0 });
    expect(record.leaves).toHaveLength(500);
    expect(record.checkpoints).toHaveLength(1);
  });

  test("takes a head once, whoever brings it, and takes a later head of the same session", async () => {
    const anchors = log();
    await anchors.add(openLeaf(leaf(3).session_id, { seq: 2, hash: sha256("open") }));
    await Promise.all([anchors.add(leaf(3)), anchors.add(leaf(3))]);
    await log().add(leaf(3));
    expect((await readAnchors(root, key)).leaves.map(({ seq, closed_at }) => [seq, closed_at !== null])).toEqual([
      [2, false],
      [4, true],
    ]);
  });

  test("an event that is anchored is not anchored as another one: the others of its batch are", async () => {
    const rewritten = { ...leaf(3), head_hash: sha256("rewritten") };
    await log().add(leaf(3));
    const anchors = log();
    const [refused, ...others] = await Promise.all([
      anchors.add(rewritten),
      anchors.add(leaf(4)),
      anchors.add({ ...leaf(4), head_hash: sha256("another") }),
      anchors.add(leaf(5)),
    ]);
    expect(refused).toMatchObject({ ok: false, error: { code: "LEDGER_CORRUPT", details: { seq: 4 } } });
    expect(others.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect((await readAnchors(root, key)).leaves.map(({ head_hash }) => head_hash)).toEqual(
      [3, 4, 5].map((number) => leaf(number).head_hash),
    );
  });

  test("several writers take turns; each reads what the others added", async () => {
    const writers = [log(), log(), log()];
    await Promise.all(Array.from({ length: 60 }, async (_, number) => writers[number % 3]?.add(leaf(number))));
    for (let number = 60; number < 66; number++) await writers[number % 3]?.add(leaf(number));
    const record = await readAnchors(root, key);
    expect(record.faults).toEqual([]);
    expect(new Set(record.leaves.map(({ session_id }) => session_id)).size).toBe(66);
  });

  test("a batch cut at any byte is no batch: readers ignore it, the next writer goes on", async () => {
    const anchors = log();
    await anchors.add(leaf(1));
    const whole = readFileSync(anchorFile(root));
    await Promise.all([anchors.add(leaf(2)), anchors.add(leaf(3))]);
    const both = readFileSync(anchorFile(root));
    for (let cut = whole.length; cut < both.length; cut += 7) {
      writeFileSync(anchorFile(root), both.subarray(0, cut));
      const torn = await readAnchors(root, key);
      expect(torn.faults).toEqual([]);
      expect(torn.leaves).toHaveLength(1);
      expect((await log().add(leaf(4))).ok).toBe(true);
      const mended = await readAnchors(root, key);
      expect(mended).toMatchObject({ faults: [], torn: 0 });
      expect(mended.leaves.map(({ seq }) => seq)).toEqual([2, 5]);
    }
  });

  test("a full disk is an error and leaves no damage; there is room again, and it goes on", async () => {
    let isFull = false;
    const disk: Disk = {
      ...realDisk,
      write: (fd, bytes, position) => {
        if (!isFull) return realDisk.write(fd, bytes, position);
        realDisk.write(fd, bytes.subarray(0, 40), position);
        throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
      },
    };
    const anchors = log(disk);
    await anchors.add(leaf(1));
    isFull = true;
    const refused = await anchors.add(leaf(2));
    expect(refused.ok ? undefined : refused.error.code).toBe("LEDGER_UNAVAILABLE");
    isFull = false;
    expect((await anchors.add(leaf(2))).ok).toBe(true);
    expect((await readAnchors(root, key)).leaves).toHaveLength(2);
  });

  test("a head is acknowledged once the log, and when it is new its folder too, is on disk", async () => {
    const done: string[] = [];
    const disk: Disk = {
      ...realDisk,
      sync: async (fd) => {
        await realDisk.sync(fd);
        done.push("log");
      },
      syncFolder: async (folder) => {
        await realDisk.syncFolder(folder);
        done.push("folder");
      },
    };
    const anchors = log(disk);
    expect((await anchors.add(leaf(1))).ok).toBe(true);
    expect(done).toEqual(["log", "folder"]);
    expect((await anchors.add(leaf(2))).ok).toBe(true);
    expect(done).toEqual(["log", "folder", "log"]);
  });

  test("a sync that fails acknowledges nothing", async () => {
    const disk: Disk = { ...realDisk, sync: () => Promise.reject(new Error("EIO")) };
    const refused = await log(disk).add(leaf(1));
    expect(refused.ok ? undefined : refused.error.code).toBe("LEDGER_UNAVAILABLE");
  });

  test("refuses to build on a log that was changed", async () => {
    await log().add(leaf(1));
    await log().add(leaf(2));
    const whole = lines();
    const [first = "", , newest = ""] = whole;
    for (const changed of [
      whole.with(0, first.replace('"seq":2', '"seq":9')),
      whole.with(0, first.slice(1)), // what is not readable is no torn end where a checkpoint stands behind it
      whole.with(2, newest.replace('"seq":3', '"seq":9')), // nor is a head that its own checkpoint contradicts
    ]) {
      const text = `${changed.join("\n")}\n`;
      writeFileSync(anchorFile(root), text);
      const refused = await log().add(leaf(3));
      expect(refused.ok ? undefined : refused.error.code).toBe("LEDGER_CORRUPT");
      expect(readFileSync(anchorFile(root), "utf8")).toBe(text);
    }
  });

  test("a changed head, a foreign signature and a removed line are found", async () => {
    const anchors = log();
    for (let number = 0; number < 4; number++) await anchors.add(leaf(number));
    const kept = lines();
    const faultsOf = async (changed: readonly string[]) => {
      writeFileSync(anchorFile(root), `${changed.join("\n")}\n`);
      return (await readAnchors(root, key)).faults.map(({ kind }) => kind);
    };
    expect(await faultsOf(kept)).toEqual([]);
    expect(
      await faultsOf(kept.map((line, index) => (index === 2 ? line.replace('"seq":2', '"seq":9') : line))),
    ).toContain("anchor_root");
    expect(await faultsOf(kept.filter((_, index) => index !== 2))).toContain("anchor_root");
    expect(
      await faultsOf(
        kept.map((line, index) =>
          index === 7
            ? line.replace(/"signature":"(.)/, (_, first) => `"signature":"${first === "A" ? "B" : "A"}`)
            : line,
        ),
      ),
    ).toContain("anchor_signature");
    expect(
      await faultsOf(
        kept.map((line, index) => (index === 7 ? line.replace(/"key_id":"[0-9a-f]{4}/, '"key_id":"0000') : line)),
      ),
    ).toContain("anchor_key");
    for (const at of [2, 7])
      expect(await faultsOf(kept.map((line, index) => (index === at ? `${line} ` : line)))).toEqual([
        "anchor_line",
        ...(at === 2 ? ["anchor_root", "anchor_root", "anchor_root"] : []),
      ]);
  });

  test("its proofs convince someone who has only the checkpoint, and a changed proof convinces nobody", async () => {
    const schemas = shippedRegistry();
    const anchors = log();
    for (let number = 0; number < 5; number++) await anchors.add(leaf(number));
    const old = checkpointFile((await readAnchors(root, key)).checkpoints.at(-1) as AnchorCheckpoint, key);
    for (let number = 5; number < 13; number++) await anchors.add(leaf(number));
    const record = await readAnchors(root, key);
    const included = proveSession(leaf(7).session_id as SessionId, record, key);
    const since = proveSince(old, record, key);
    if (!included.ok || !since.ok) throw new Error("no proof was made");
    expect(checkProof(included.value, schemas).ok).toBe(true);
    expect(checkProof(since.value, schemas).ok).toBe(true);
    const inclusion = included.value.inclusion as NonNullable<Proof["inclusion"]>;
    const consistency = since.value.consistency as NonNullable<Proof["consistency"]>;
    const tree = new MerkleTree();
    for (const hash of record.hashes.slice(0, 5)) tree.append(hash);
    const stranger = strangersKey();
    const byAnother = checkpointFile(sealCheckpoint(tree, stranger, systemClock.now()), stranger);
    expect([byAnother.root_hash, byAnother.tree_size]).toEqual([old.root_hash, old.tree_size]);
    for (const forged of [
      { ...included.value, inclusion: { ...inclusion, leaf: { ...inclusion.leaf, seq: 99 } } },
      { ...included.value, inclusion: { ...inclusion, leaf_index: 6 } },
      { ...included.value, inclusion: { ...inclusion, hashes: inclusion.hashes.slice(1) } },
      { ...included.value, checkpoint: { ...included.value.checkpoint, tree_size: 14 } },
      { ...since.value, consistency: { ...consistency, since: since.value.checkpoint } },
      { ...since.value, consistency: { ...consistency, hashes: [] } },
      { ...since.value, consistency: { ...consistency, since: { ...old, ts: "2026-11-15T00:00:00.000Z" } } },
      { ...since.value, consistency: { ...consistency, since: byAnother } },
      {},
    ])
      expect(checkProof(forged, schemas).ok).toBe(false);
    expect(proveSession("SES-20261115-unknown" as SessionId, record, key).ok).toBe(false);
    expect(proveSince({ ...old, tree_size: 99 }, record, key).ok).toBe(false);
  });

  test("a checkpoint kept elsewhere carries its key, and any change to it shows", async () => {
    await log().add(leaf(1));
    const [checkpoint] = (await readAnchors(root, key)).checkpoints;
    if (!checkpoint) throw new Error("no checkpoint was written");
    const file = JSON.stringify(checkpointFile(checkpoint, key));
    const schemas = shippedRegistry();
    expect(parseCheckpoint(file, schemas).ok).toBe(true);
    for (const changed of [
      file.replace('"tree_size":1', '"tree_size":2'),
      file.replace(/"root_hash":"./, '"root_hash":"0'),
      file.replace("v1", "v2"),
      file.slice(1),
    ])
      expect(changed === file || parseCheckpoint(changed, schemas).ok).toBe(changed === file);
  });
});

describe("keys", () => {
  test("the public file speaks for the private one; a missing or foreign key is explained", () => {
    const verifying = loadVerifyingKey(join(root, "signing.pub.pem"));
    if (!verifying.ok) throw new Error(verifying.error.message);
    expect(verifying.value.key_id).toBe(key.key_id);
    expect(verifying.value.verify("said", key.sign("said"))).toBe(true);
    expect(verifying.value.verify("unsaid", key.sign("said"))).toBe(false);
    const missing = loadSigningKey(join(root, "none.pem"));
    expect(missing.ok ? "" : missing.error.message).toContain("none.pem");
    const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ type: "pkcs8", format: "pem" });
    writeFileSync(join(root, "rsa.pem"), rsa);
    const foreign = loadSigningKey(join(root, "rsa.pem"));
    expect(foreign.ok ? "" : foreign.error.message).toContain("expected ed25519");
  });

  test("a key is current by what its file holds: another in the very same inode is another", async () => {
    const file = join(root, "signing.pem");
    const [pem, inode] = [readFileSync(file), statSync(file).ino];
    expect(key.isCurrent()).toBe(true);
    writeFileSync(file, generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }));
    expect(statSync(file).ino).toBe(inode);
    expect(key.isCurrent()).toBe(false);
    const refused = await log().add(leaf(1));
    expect(refused.ok ? "" : refused.error.message).toContain("signs with another key");
    rmSync(file);
    expect(key.isCurrent()).toBe(false);
    writeFileSync(file, pem);
    expect(key.isCurrent()).toBe(true);
  });
});

test("an anchor log that others left half-written is not read beyond its last whole batch", async () => {
  await log().add(leaf(1));
  appendFileSync(anchorFile(root), '{"closed_at":');
  const size = statSync(anchorFile(root)).size;
  expect((await readAnchors(root, key)).torn).toBe(1);
  expect(statSync(anchorFile(root)).size).toBe(size);
});
