import { appendFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { canonicalJson, type SessionId, type Sha256, systemClock } from "#core/values";
import { anchorFile, parseLine } from "#log";
import { forge, putForged } from "../../../test/support/forged-session.ts";
import { value, writeGreeting } from "../../../test/support/greeting-session.ts";
import { SealedWorkspace } from "../../../test/support/sealed-workspace.ts";
import { sealLine, unsealedLine } from "../../log/line.ts";
import { leafText } from "../anchors/anchor-leaf.ts";
import { AnchorLog } from "../anchors/anchor-log.ts";
import { checkpointFile, parseCheckpoint, sealCheckpoint } from "../anchors/checkpoint.ts";
import { leafHash, MerkleTree } from "../anchors/merkle.ts";
import { readAnchors } from "../anchors/read-anchors.ts";
import type { ViolationKind } from "./violation.ts";

const workspace = new SealedWorkspace();
let one: SessionId;
let two: SessionId;

beforeAll(async () => {
  one = (await writeGreeting(workspace.log, { calls: 6, denied: true })).session_id;
  two = (await writeGreeting(workspace.log, { name: "Grace" })).session_id;
  await workspace.shut();
});
afterAll(() => workspace.remove());

const events = (session_id: string) => workspace.file(session_id, ".events.jsonl");
const linesOf = (file: string) => readFileSync(file, "utf8").trimEnd().split("\n");

/** Changes a file, looks, and puts it back. */
async function changed<T>(file: string, content: string | Buffer | undefined, look: () => Promise<T>): Promise<T> {
  const before = readFileSync(file);
  if (content === undefined) rmSync(file);
  else writeFileSync(file, content);
  try {
    return await look();
  } finally {
    writeFileSync(file, before);
  }
}

async function firstFinding(session_id: string, file: string, content: string | Buffer | undefined) {
  return changed(file, content, async () => {
    const { ok: isFine, sessions } = await workspace.verifyOne(session_id);
    expect(isFine).toBe(false);
    const [first] = sessions[0]?.violations ?? [];
    return { kind: first?.kind, at: first?.at };
  });
}

describe("an untouched workspace", () => {
  test("verifies: every session, the ledgers, the anchors, the snapshots", async () => {
    const result = await workspace.verifyAll();
    expect(result.violations).toEqual([]);
    expect(result.sessions.map(({ violations, notes }) => ({ violations, notes }))).toEqual([
      { violations: [], notes: [] },
      { violations: [], notes: [] },
    ]);
    expect(result).toMatchObject({ ok: true, complete: true, notes: [], anchors: { heads: 2 } });
  });

  const untouched = process.env["WRIT_CAMPAIGN"] ? 1_000 : 200;
  test(`so do ${untouched} untouched logs`, async () => {
    const many = new SealedWorkspace(7);
    await Promise.all(
      Array.from({ length: untouched }, (_, index) =>
        writeGreeting(many.log, { calls: index % 4, name: `Ada ${index}`, denied: index % 5 === 0 }),
      ),
    );
    await many.shut();
    const result = await many.verifyAll();
    expect(result.sessions).toHaveLength(untouched);
    expect(result.sessions.flatMap(({ violations, notes }) => [...violations, ...notes])).toEqual([]);
    expect(result.ok).toBe(true);
    many.remove();
  });

  test("an open session is not judged for what may still come", async () => {
    const live = new SealedWorkspace(8);
    const { session_id } = await writeGreeting(live.log, { leaveOpen: true });
    const { ok: isFine, sessions } = await live.verifyOne(session_id);
    expect(isFine).toBe(true);
    expect(sessions[0]?.notes.map(({ kind }) => kind)).toEqual(["open"]);
    await live.shut();
    live.remove();
  });
});

test("a session is verified while it is being written, without a false alarm", async () => {
  const live = new SealedWorkspace(9);
  const session = await writeGreeting(live.log, { leaveOpen: true });
  let isWriting = true;
  const writing = (async () => {
    for (let round = 0; isWriting && round < 500; round++) {
      const call_id = `late-${round}`;
      value(
        session.stage({
          type: "hook.fired",
          actor: "hooks",
          payload: {
            point: "PreToolUse",
            handler: "none",
            decision: "allow",
            reason: "",
            duration_ms: 0,
            subject: "echo",
            handlers: [],
          },
        }),
      );
      value(
        await session.append({
          type: "tool.refused",
          actor: "tools",
          payload: { call_id, name: "echo", code: "GATE_DENIED", reason: "late" },
        }),
      );
    }
  })();
  for (let look = 0; look < 10; look++) {
    const { sessions } = await live.verifyOne(session.session_id);
    expect(sessions[0]?.violations).toEqual([]);
  }
  isWriting = false;
  await writing;
  value(await session.close({ ok: true, status: "success" }));
  await live.shut();
  expect(await live.verifyAll()).toMatchObject({ ok: true });
  live.remove();
});

describe("lines", () => {
  const at = 9;
  test("removed, inserted, repeated, swapped or taken from another session are found where they stand", async () => {
    const lines = linesOf(events(one));
    const foreign = linesOf(events(two));
    const text = (changedLines: readonly string[]) => `${changedLines.join("\n")}\n`;
    const put = (index: number, ...added: readonly string[]) =>
      text([...lines.slice(0, index), ...added, ...lines.slice(index)]);
    expect(await firstFinding(one, events(one), text(lines.toSpliced(at, 1)))).toEqual({ kind: "seq", at: at + 1 });
    expect(await firstFinding(one, events(one), put(at, lines[at] as string))).toEqual({ kind: "seq", at: at + 2 });
    expect(await firstFinding(one, events(one), put(at, lines[2] as string))).toEqual({ kind: "seq", at: at + 1 });
    expect(
      await firstFinding(
        one,
        events(one),
        text(lines.with(at, lines[at + 1] as string).with(at + 1, lines[at] as string)),
      ),
    ).toEqual({ kind: "seq", at: at + 1 });
    expect(await firstFinding(one, events(one), text(lines.with(at, foreign[at] as string)))).toEqual({
      kind: "session",
      at: at + 1,
    });
    expect(await firstFinding(one, events(one), text(lines.with(at, "")))).toEqual({ kind: "not_json", at: at + 1 });
    expect(await firstFinding(one, events(one), text(lines.with(at, `${lines[at]} `)))).toEqual({
      kind: "not_canonical",
      at: at + 1,
    });
  });

  test("a line that is genuine but sealed anew is found by the one behind it", async () => {
    const lines = linesOf(events(one));
    const at = lines.findIndex((line) => line.includes('"type":"worker.report"'));
    const entry = value(parseLine(lines[at] as string));
    const forged = sealLine(
      unsealedLine({ ...entry, json: canonicalJson({ ...entry.payload, output: "Hello, Mallory" }) }, entry),
    );
    expect(await firstFinding(one, events(one), `${lines.with(at, forged.text).join("\n")}\n`)).toEqual({
      kind: "prev_hash",
      at: at + 2,
    });
  });

  test("a tail cut from a closed session is found, with whatever ledgers beside it", async () => {
    const lines = linesOf(events(one));
    for (let left = 1; left < lines.length; left++)
      expect(["cut_tail", "ledger_extra"]).toContain(
        (await firstFinding(one, events(one), `${lines.slice(0, left).join("\n")}\n`)).kind,
      );
    expect((await firstFinding(one, events(one), readFileSync(events(one)).subarray(0, -5))).kind).toBe("torn");
  });
});

describe("whole sessions", () => {
  /** On a copy, since what is done to it is not put back. */
  async function onCopy(
    damage: (copy: SealedWorkspace) => void | Promise<void>,
    more: Parameters<SealedWorkspace["verifyAll"]>[0] = {},
  ) {
    const copy: SealedWorkspace = Object.create(workspace, { root: { value: `${workspace.root}-copy` } });
    cpSync(workspace.root, copy.root, { recursive: true });
    try {
      await damage(copy);
      const { ok: isFine, violations, sessions } = await copy.verifyAll(more);
      expect(isFine).toBe(false);
      return [...violations, ...sessions.flatMap((session) => session.violations)].map(({ kind }) => kind);
    } finally {
      copy.remove();
    }
  }
  const forgeOne = (copy: SealedWorkspace) => {
    const forged = forge(linesOf(events(one)), ({ payload, type }) =>
      type === "worker.report" ? { ...payload, output: "Hello, Mallory" } : payload,
    );
    putForged(copy, one, forged);
  };

  test("a deleted session, or only its events, is found", async () => {
    expect(await onCopy((copy) => rmSync(join(copy.root, "planes/ho1/sessions", one), { recursive: true }))).toEqual([
      "session_missing",
    ]);
    expect(await onCopy((copy) => rmSync(copy.file(one, ".events.jsonl")))).toEqual(["session_missing"]);
  });

  test("a session that was moved or copied to another plane is found, whichever copy was changed", async () => {
    const onPlane = (copy: SealedWorkspace, tier: string) => join(copy.root, "planes", tier, "sessions", one);
    const moveTo = (tier: string) => (copy: SealedWorkspace) => {
      mkdirSync(dirname(onPlane(copy, tier)), { recursive: true });
      renameSync(onPlane(copy, "ho1"), onPlane(copy, tier));
    };
    expect(await onCopy(moveTo("ho2"))).toEqual(["misplaced"]);
    const copyTo = (tier: string) => (copy: SealedWorkspace) => {
      cpSync(onPlane(copy, "ho1"), onPlane(copy, tier), { recursive: true });
    };
    expect(await onCopy(copyTo("hot"))).toEqual(["misplaced", "misplaced"]); // the copy is the one that is read
    const shadowed = await onCopy(async (copy) => {
      copyTo("hot")(copy);
      forgeOne(copy);
      expect((await copy.verifyOne(one)).ok).toBe(false);
    });
    expect(shadowed).toEqual(["misplaced", "misplaced"]);
  });

  test("what cannot be read is a finding about its session, not the end of verifying", async () => {
    const folderFor = (file: string) => {
      rmSync(file);
      mkdirSync(file);
    };
    expect(await onCopy((copy) => folderFor(copy.file(one, ".events.jsonl")))).toEqual(["unreadable"]);
    expect(await onCopy((copy) => folderFor(copy.file(one, "ledger/exec.jsonl")))).toEqual(["unreadable"]);
  });

  test("swapped ledgers of two sessions are found", async () => {
    const kinds = await onCopy((copy) => {
      for (const ledger of ["ledger/exec.jsonl", "ledger/evidence.jsonl"] as const) {
        renameSync(copy.file(one, ledger), copy.file(one, "snapshot.json"));
        renameSync(copy.file(two, ledger), copy.file(one, ledger));
        renameSync(copy.file(one, "snapshot.json"), copy.file(two, ledger));
      }
    });
    expect(new Set(kinds)).toEqual(new Set<ViolationKind>(["ledger_differs"]));
    expect(kinds).toHaveLength(4);
  });

  test("a ledger without the end of its last line, or with another actor in it, is found", async () => {
    for (const ledger of ["ledger/exec.jsonl", "ledger/evidence.jsonl"] as const) {
      const file = workspace.file(one, ledger);
      const lines = linesOf(file);
      expect(await firstFinding(one, file, lines.join("\n"))).toEqual({ kind: "ledger_differs", at: lines.length });
      const other = (lines[2] as string).replace(/"actor":"./, '"actor":"X');
      expect(await firstFinding(one, file, `${lines.with(2, other).join("\n")}\n`)).toEqual({
        kind: "ledger_differs",
        at: 3,
      });
    }
  });

  test("a session rewritten with fresh hashes is found by the anchor log", async () => {
    expect(await onCopy(forgeOne)).toEqual(["head_differs"]);
  });

  test("a workspace rewritten together with its anchor log and its key is found by a checkpoint kept elsewhere", async () => {
    const kept = checkpointFile(
      (await readAnchors(workspace.root, workspace.key)).checkpoints.at(-1) as never,
      workspace.key,
    );
    const checkpoint = value(parseCheckpoint(JSON.stringify(kept), shippedRegistry()));
    expect((await workspace.verifyAll({ checkpoint })).ok).toBe(true);
    const other = new SealedWorkspace(3);
    await writeGreeting(other.log, { name: "Mallory" });
    await writeGreeting(other.log, { name: "Mallory" });
    await other.shut();
    const rewritten = await other.verifyAll({ checkpoint });
    expect(rewritten.ok).toBe(false);
    expect(rewritten.violations.map(({ kind }) => kind)).toEqual(["checkpoint_key", "rewritten"]);
    other.remove();
    expect(
      await onCopy(
        (copy) => {
          const lines = linesOf(anchorFile(copy.root));
          writeFileSync(anchorFile(copy.root), `${lines.slice(0, 2).join("\n")}\n`);
          rmSync(join(copy.root, "planes/ho1/sessions", two), { recursive: true });
        },
        { checkpoint },
      ),
    ).toEqual(["rolled_back"]);
  });

  test("a rewrite by whoever holds the signing key is found by a checkpoint kept elsewhere, and by nothing else", async () => {
    const record = await readAnchors(workspace.root, workspace.key);
    const kept = checkpointFile(record.checkpoints.at(-1) as never, workspace.key);
    const checkpoint = value(parseCheckpoint(JSON.stringify(kept), shippedRegistry()));
    const forgeAndAnchor = async (copy: SealedWorkspace) => {
      forgeOne(copy);
      const forged = linesOf(copy.file(one, ".events.jsonl")).map((line) => value(parseLine(line)));
      rmSync(anchorFile(copy.root));
      const anchors = new AnchorLog({ root: copy.root, key: workspace.key, clock: systemClock });
      for (const { kind: _, ...leaf } of record.leaves) {
        const last = leaf.session_id === one && leaf.closed_at !== null ? forged.at(-1) : undefined;
        const heads = last?.payload as { exec_head: Sha256; evidence_head: Sha256 } | undefined;
        value(await anchors.add(last && heads ? { ...leaf, ...heads, seq: last.seq, head_hash: last.hash } : leaf));
      }
      expect((await copy.verifyAll()).violations).toEqual([]); // without the checkpoint it looks genuine
      expect((await copy.verifyAll()).sessions.flatMap(({ violations }) => violations)).toEqual([]);
    };
    expect(await onCopy(forgeAndAnchor, { checkpoint })).toEqual(["rewritten"]);
  });

  test("a rewritten session that is anchored a second time, above a kept checkpoint, is found by its first anchor", async () => {
    const record = await readAnchors(workspace.root, workspace.key);
    const kept = checkpointFile(record.checkpoints.at(-1) as never, workspace.key);
    const checkpoint = value(parseCheckpoint(JSON.stringify(kept), shippedRegistry()));
    const anchorAgain = (copy: SealedWorkspace) => {
      forgeOne(copy);
      const last = value(parseLine(linesOf(copy.file(one, ".events.jsonl")).at(-1) as string));
      const { exec_head, evidence_head } = last.payload as { exec_head: Sha256; evidence_head: Sha256 };
      const head = { session_id: one, seq: last.seq, head_hash: last.hash, closed_at: last.ts };
      const leaf = leafText({ ...head, exec_head, evidence_head });
      const tree = new MerkleTree();
      for (const hash of [...record.hashes, leafHash(leaf)]) tree.append(hash);
      const root = canonicalJson(sealCheckpoint(tree, workspace.key, systemClock.now()));
      appendFileSync(anchorFile(copy.root), `${leaf}\n${root}\n`);
    };
    expect(await onCopy(anchorAgain, { checkpoint })).toEqual(["head_differs"]);
  });

  test("a snapshot that is not what the events say is thrown away, and a note says so", async () => {
    const { ok: isFine, sessions } = await changed(workspace.file(one, "snapshot.json"), "{}\n", () =>
      workspace.verifyOne(one),
    );
    expect(isFine).toBe(true);
    expect(sessions[0]?.notes.map(({ kind }) => kind)).toEqual(["snapshot_discarded"]);
  });

  test("so is one that cannot be read at all", async () => {
    const file = workspace.file(one, "snapshot.json");
    const before = readFileSync(file);
    rmSync(file);
    mkdirSync(file);
    const { ok: isFine, sessions } = await workspace.verifyOne(one);
    rmSync(file, { recursive: true });
    writeFileSync(file, before);
    expect(isFine).toBe(true);
    expect(sessions[0]?.notes.map(({ kind }) => kind)).toEqual(["snapshot_discarded"]);
  });
});
