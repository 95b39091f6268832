import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result, type SessionId, systemClock } from "#core/values";
import { anchorFile, type Event } from "#log";
import { putForged } from "../../../test/support/forged-session.ts";
import { testLog, value, writeGreeting } from "../../../test/support/greeting-session.ts";
import { SealedWorkspace } from "../../../test/support/sealed-workspace.ts";
import { type AnchorLeaf, openLeaf } from "../anchors/anchor-leaf.ts";
import { AnchorLog } from "../anchors/anchor-log.ts";
import { readAnchors } from "../anchors/read-anchors.ts";
import { leftOpenCases } from "./left-open.case.ts";
import { SealingLog } from "./sealing-log.ts";

let workspace: SealedWorkspace;
beforeEach(() => {
  workspace = new SealedWorkspace();
});
afterEach(() => workspace.remove());

describe("a session that closes", () => {
  test("is anchored with its ledger heads and has its snapshot", async () => {
    const { session_id, head } = await writeGreeting(workspace.log);
    await workspace.shut();
    const [leaf] = (await readAnchors(workspace.root, workspace.key)).leaves;
    expect(leaf).toMatchObject({ session_id, seq: head.seq, head_hash: head.hash });
    expect(leaf?.closed_at).not.toBeNull();
    expect(existsSync(workspace.file(session_id, "snapshot.json"))).toBe(true);
  });

  test("that goes on in another process is sealed as a whole", async () => {
    const { session_id } = await writeGreeting(workspace.log, { leaveOpen: true });
    await workspace.shut();
    const { log } = testLog(workspace.root, 2);
    const second = new SealingLog({ log, schemas: shippedRegistry(), anchors: { add: async () => ok(undefined) } });
    const opened = value(await second.open(session_id));
    value(await opened.close({ ok: true, status: "success" }));
    value(await second.shutdown());
    const { sessions } = await workspace.verifyOne(session_id);
    expect(sessions[0]).toMatchObject({ ok: true, closed: true, notes: [{ kind: "not_anchored" }] });
  });

  test("says so when it cannot be anchored, and stands as it was written", async () => {
    const { log } = testLog(workspace.root, 3);
    const refusing = { add: async (): Promise<Result<void>> => err(domainError("LEDGER_UNAVAILABLE", "no room")) };
    const sealing = new SealingLog({ log, schemas: shippedRegistry(), anchors: refusing });
    const session = await writeGreeting(sealing, { leaveOpen: true });
    const closed = await session.close({ ok: true, status: "success" });
    expect(closed.ok ? undefined : closed.error.message).toBe("no room");
    value(await sealing.shutdown());
    expect((await workspace.verifyOne(session.session_id)).ok).toBe(true);
  });
});

describe("a session whose process died once it had closed", () => {
  const spoiled: readonly (readonly [string, (file: string, whole: string) => void, number])[] = [
    ["has its snapshot: it is not folded again", () => undefined, 0],
    ["lacks its snapshot", (file) => rmSync(file), 1],
    ["has a part of its snapshot", (file, whole) => writeFileSync(file, whole.slice(0, 90)), 1],
    [
      "has one that was made before it ended",
      (file, whole) => writeFileSync(file, whole.replace(/"event_count":\d+/, '"event_count":2')),
      1,
    ],
  ];
  test.each(spoiled)("%s", async (_, spoil, folds) => {
    const { session_id, head, tier } = await writeGreeting(workspace.log);
    await workspace.shut();
    const file = workspace.file(session_id, "snapshot.json");
    const whole = readFileSync(file, "utf8");
    spoil(file, whole);
    const { log } = testLog(workspace.root, 7);
    const events: Event[] = [];
    for await (const event of log.read(session_id)) events.push(value(event));
    const readBatches = vi.spyOn(log, "readBatches");
    const added: string[] = [];
    const anchors = { add: async (leaf: { readonly head_hash: string }) => ok(void added.push(leaf.head_hash)) };
    const sealing = new SealingLog({ log, schemas: shippedRegistry(), anchors });
    const close = events.at(-1) as Event<"session.close">;
    sealing.finish([{ session_id, tier, head, closed: true, close }]);
    value(await sealing.shutdown());
    expect(added).toEqual([head.hash]);
    expect(readBatches).toHaveBeenCalledTimes(folds);
    expect(readFileSync(file, "utf8")).toBe(whole);
  });
});

leftOpenCases("files", {
  log: () => workspace.log,
  async another() {
    await workspace.shut();
    const { log } = testLog(workspace.root, 5);
    const anchors = new AnchorLog({ root: workspace.root, key: workspace.key, clock: systemClock });
    return new SealingLog({ log, schemas: shippedRegistry(), anchors });
  },
  async put(session_id, forged) {
    putForged(workspace, session_id, forged);
  },
  async changeAnchors(change) {
    const file = anchorFile(workspace.root);
    writeFileSync(file, change(readFileSync(file, "utf8")));
  },
  verify: async () => (await workspace.verifyAll()).ok,
});

describe("a session that was left open", () => {
  const leave = async () => {
    const session = await writeGreeting(workspace.log, { leaveOpen: true });
    value(await session.release());
    return session.session_id;
  };
  const reopen = async (session_id: SessionId, key = workspace.key) => {
    const { log } = testLog(workspace.root, 5);
    const anchors = new AnchorLog({ root: workspace.root, key, clock: systemClock });
    const next = new SealingLog({ log, schemas: shippedRegistry(), anchors });
    const opened = await next.open(session_id);
    if (opened.ok) value(await opened.value.release());
    value(await next.shutdown());
    return opened;
  };
  test("is not taken up while its anchors cannot be read, and stays free for whoever comes next", async () => {
    const session_id = await leave();
    await workspace.shut();
    const file = anchorFile(workspace.root);
    const signed = readFileSync(file);
    rmSync(file);
    mkdirSync(file);
    const { log } = testLog(workspace.root, 6);
    const anchors = new AnchorLog({ root: workspace.root, key: workspace.key, clock: systemClock });
    const sealing = new SealingLog({ log, schemas: shippedRegistry(), anchors });
    expect(await sealing.open(session_id)).toMatchObject({
      ok: false,
      error: { code: "LEDGER_UNAVAILABLE", message: expect.stringContaining("the anchor log could not be read") },
    });
    rmSync(file, { recursive: true });
    writeFileSync(file, signed);
    value(await value(await sealing.open(session_id)).release());
    value(await sealing.shutdown());
  });

  // What cannot be known from the workspace alone: that it was set back as a whole, anchors with it.
  test("is taken up when its anchors are gone too: only a checkpoint kept elsewhere would tell", async () => {
    const session_id = await leave();
    await workspace.shut();
    rmSync(anchorFile(workspace.root));
    expect((await reopen(session_id)).ok).toBe(true);
  });
});

test("open sessions are anchored at intervals: a tail cut from one of them shows", async () => {
  const session = await writeGreeting(workspace.log, { leaveOpen: true });
  value(await workspace.log.anchorOpen());
  await workspace.shut();
  expect((await workspace.verifyAll()).ok).toBe(true);
  const file = workspace.file(session.session_id, ".events.jsonl");
  writeFileSync(file, `${readFileSync(file, "utf8").trimEnd().split("\n").slice(0, -3).join("\n")}\n`);
  rmSync(workspace.file(session.session_id, "ledger/exec.jsonl"));
  const { sessions } = await workspace.verifyAll();
  expect(sessions[0]?.violations.map(({ kind }) => kind)).toContain("cut_tail");
});

test("a session that a dead process had closed is sealed by the one that finishes its journal", async () => {
  const added: Omit<AnchorLeaf, "kind">[] = [];
  const { session_id, head } = await writeGreeting(workspace.log);
  const left = await writeGreeting(workspace.log, { leaveOpen: true });
  await workspace.shut();
  rmSync(anchorFile(workspace.root));
  rmSync(workspace.file(session_id, "snapshot.json"));
  const { log } = testLog(workspace.root, 4);
  const next = new SealingLog({
    log,
    schemas: shippedRegistry(),
    anchors: {
      add: async (leaf) => {
        added.push(leaf);
        return ok(undefined);
      },
    },
  });
  next.finish([
    { session_id, tier: "ho1", head, closed: true },
    { session_id: left.session_id, tier: "ho1", head: left.head, closed: false },
  ]);
  value(await next.shutdown());
  expect(added).toHaveLength(2);
  expect(added).toContainEqual(expect.objectContaining({ session_id, head_hash: head.hash }));
  // An open session is anchored as it was found, until a process resumes it.
  expect(added).toContainEqual(openLeaf(left.session_id, left.head));
  expect(existsSync(workspace.file(left.session_id, "snapshot.json"))).toBe(false);
  expect(existsSync(workspace.file(session_id, "snapshot.json"))).toBe(true);
});
