import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import { canonicalJson, type SessionId } from "#core/values";
import { type Envelope, parseLine } from "#log";
import { value, writeGreeting } from "../../../test/support/greeting-session.ts";
import { readerOf as readerOver } from "../../../test/support/raw-reader.ts";
import { SealedWorkspace } from "../../../test/support/sealed-workspace.ts";
import { sealLine, unsealedLine } from "../../log/line.ts";
import type { AnchorLeaf } from "../anchors/anchor-leaf.ts";
import { readAnchors } from "../anchors/read-anchors.ts";
import { verifySession } from "./verify-session.ts";

const workspace = new SealedWorkspace();
let one: SessionId;

beforeAll(async () => {
  one = (await writeGreeting(workspace.log, { calls: 6, denied: true })).session_id;
  await workspace.shut();
});
afterAll(() => workspace.remove());

const linesOf = () => readFileSync(workspace.file(one, ".events.jsonl"), "utf8").trimEnd().split("\n");
const readerOf = (bytes: Buffer) =>
  readerOver(bytes, {
    exec: readFileSync(workspace.file(one, "ledger/exec.jsonl")),
    evidence: readFileSync(workspace.file(one, "ledger/evidence.jsonl")),
  });

const payloadOfClose = () => value(parseLine(linesOf().at(-1) as string)).payload;
const recovered = { at_seq: 1, cut_bytes: 1, source: "file" };
const judge = async (change: (entry: Envelope) => Partial<Envelope>) => {
  let hash = "0".repeat(64);
  let text = "";
  for (const line of linesOf()) {
    const entry = value(parseLine(line));
    const next = { ...entry, ...change(entry) };
    const sealed = sealLine(unsealedLine({ ...next, json: canonicalJson(next.payload) }, { ...next, prev_hash: hash }));
    hash = sealed.hash;
    text += `${sealed.text}\n`;
  }
  return verifySession(one, { schemas: shippedRegistry(), rules: ledgerRules, reader: readerOf(Buffer.from(text)) });
};

test("an unknown type of event and a future version are named", async () => {
  const unknown = await judge(({ seq }) => (seq === 5 ? { type: "moon.phase" } : {}));
  expect(unknown.violations[0]).toMatchObject({ kind: "unknown_type", at: 5 });
  expect(unknown.violations[0]?.message).toContain('"moon.phase"');
  const lines = linesOf();
  const future = (lines[4] as string).replace('"schema_version":"v1"', '"schema_version":"v2"');
  const version = await verifySession(one, {
    schemas: shippedRegistry(),
    rules: ledgerRules,
    reader: readerOf(Buffer.from(`${lines.with(4, future).join("\n")}\n`)),
  });
  expect(version.violations[0]).toMatchObject({ kind: "version", at: 5 });
});

test("an event behind session.close, and a session whose first events are gone, are named though every hash fits", async () => {
  const more = await judge(({ type, payload }) =>
    type === "worker.report"
      ? { type: "session.close", payload: { ...payloadOfClose(), ok: false } }
      : { payload: type === "session.close" ? payloadOfClose() : payload },
  );
  expect(more.violations.map(({ kind }) => kind)).toContain("after_close");
  expect(more.violations.find(({ kind }) => kind === "after_close")?.message).toContain("stands after session.close");
  const begun = await judge(({ seq }) => (seq === 1 ? { type: "log.recovered", payload: recovered } : {}));
  expect(begun.violations[0]).toMatchObject({ kind: "no_start", at: 1 });
});

test("an anchored head that names other ledgers than session.close does is a difference", async () => {
  const { leaves } = await readAnchors(workspace.root, workspace.key);
  const leaf = leaves.find(({ session_id }) => session_id === one) as AnchorLeaf;
  const options = {
    schemas: shippedRegistry(),
    rules: ledgerRules,
    reader: readerOf(readFileSync(workspace.file(one, ".events.jsonl"))),
  };
  expect((await verifySession(one, { ...options, anchored: [leaf] })).violations).toEqual([]);
  for (const field of ["exec_head", "evidence_head", "head_hash"] as const) {
    const { violations } = await verifySession(one, { ...options, anchored: [{ ...leaf, [field]: "0".repeat(64) }] });
    expect(
      violations.map(({ kind }) => kind),
      field,
    ).toEqual(["head_differs"]);
  }
});

test("a payload that breaks its contract is named", async () => {
  const broken = await judge(({ type, payload }) =>
    type === "worker.report" ? { payload: { ...payload, output: 7 } } : {},
  );
  expect(broken.violations[0]).toMatchObject({ kind: "schema" });
});

test("ledger heads in session.close that the events do not yield are named", async () => {
  const wrongHeads = { exec_head: "0".repeat(64), evidence_head: "0".repeat(64), exec_entries: 1, evidence_entries: 1 };
  for (const [field, said] of Object.entries(wrongHeads)) {
    const broken = await judge(({ type, payload }) =>
      type === "session.close" ? { payload: { ...payload, [field]: said } } : {},
    );
    expect(
      broken.violations.map(({ kind }) => kind),
      field,
    ).toEqual(["ledger_head"]);
  }
});
