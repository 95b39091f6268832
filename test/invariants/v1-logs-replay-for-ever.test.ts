import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import { type SessionId, systemClock } from "#core/values";
import { JsonlReader, replay, snapshotText } from "#log";
import { loadVerifyingKey, verifyAll } from "#proof";
import { exportSession } from "../../src/proof/export/export-session.ts";
import { value } from "../support/greeting-session.ts";

// Sessions recorded by the first Writ. This fixture is never made again: a log that replayed once replays for ever.
const root = fileURLToPath(new URL("../fixtures/golden-v1/", import.meta.url));
const sessions = readdirSync(join(root, "planes/ho1/sessions")) as SessionId[];
const reader = new JsonlReader({ root, rules: ledgerRules, clock: systemClock, pollMs: 10 });
const kept = (session_id: string, name: string) =>
  readFileSync(join(root, "planes/ho1/sessions", session_id, name), "utf8");

test("v1 sessions verify, with their ledgers, snapshots and anchors", async () => {
  const key = value(loadVerifyingKey(join(root, "planes/hot/keys/signing.pub.pem")));
  const result = await verifyAll({ root, reader, schemas: shippedRegistry(), rules: ledgerRules, key });
  expect(sessions).toHaveLength(2);
  expect([
    ...result.violations,
    ...result.sessions.flatMap(({ violations, notes }) => [...violations, ...notes]),
  ]).toEqual([]);
  expect(result).toMatchObject({ ok: true, anchors: { heads: 2 } });
});

test.each(sessions)("%s replays to the snapshot that was kept", async (session_id) => {
  const snapshot = await replay(session_id, { reader, schemas: shippedRegistry() });
  expect(snapshotText(value(snapshot))).toBe(kept(session_id, "snapshot.json"));
});

test.each(sessions)("%s exports byte for byte", async (session_id) => {
  const written = new Map<string, string>();
  const open = (name: string) => ({
    write: (text: string) => void written.set(name, (written.get(name) ?? "") + text),
    end: () => undefined,
  });
  const files = value(await exportSession(session_id, reader, { open }));
  expect(files.map(({ name }) => name)).toEqual([
    ".events.jsonl",
    "ledger/exec.jsonl",
    "ledger/evidence.jsonl",
    "snapshot.json",
  ]);
  for (const { name } of files) expect(written.get(name)).toBe(kept(session_id, name));
});

test("an empty folder is a workspace without anything to prove", async () => {
  const empty = mkdtempSync(join(tmpdir(), "writ-empty-"));
  const nothing = new JsonlReader({ root: empty, rules: ledgerRules, clock: systemClock, pollMs: 10 });
  expect(
    await verifyAll({ root: empty, reader: nothing, schemas: shippedRegistry(), rules: ledgerRules, key: undefined }),
  ).toMatchObject({
    ok: true,
    events: 0,
    notes: [{ kind: "no_key" }, { kind: "nothing_anchored" }],
  });
});
