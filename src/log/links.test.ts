// A reader of a received workspace reads the files in it, and never the targets of its links.
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import { systemClock } from "#core/values";
import { verifyAll } from "#proof";
import { writeGreeting } from "../../test/support/greeting-session.ts";
import { SealedWorkspace } from "../../test/support/sealed-workspace.ts";
import { writeBundle } from "../proof/bundle/write-bundle.ts";
import { exportSession } from "../proof/export/export-session.ts";
import { verifyOne } from "../proof/verify/verify-workspace.ts";
import { JsonlReader } from "./jsonl/jsonl-reader.ts";

const workspace = new SealedWorkspace();
const outside: string = mkdtempSync(join(tmpdir(), "writ-outside-"));
let session_id: Awaited<ReturnType<typeof writeGreeting>>["session_id"];

beforeAll(async () => {
  const session = await writeGreeting(workspace.log);
  ({ session_id } = session);
  await workspace.shut();
  writeFileSync(join(outside, "secret"), "TOP-SECRET\n");
});
afterAll(() => {
  workspace.remove();
  rmSync(outside, { recursive: true, force: true });
});

function received(): string {
  const root = mkdtempSync(join(tmpdir(), "writ-received-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cpSync(workspace.root, root, { recursive: true });
  return root;
}

function optionsAt(root: string) {
  const rules = ledgerRules;
  const reader = new JsonlReader({ root, rules, clock: systemClock, pollMs: 10 });
  return { root, reader, schemas: shippedRegistry(), rules, key: workspace.key };
}

async function lookAt(root: string) {
  const options = optionsAt(root);
  let copied = "";
  const target = { open: () => ({ write: (text: string) => void (copied += text), end: () => undefined }) };
  const exported = await exportSession(session_id, options.reader, target);
  const sources = { ...options, version: "test", now: "2026-11-15T00:00:00.000Z" };
  const bundled = await writeBundle(session_id, sources, (text) => {
    copied += text;
  });
  const verified = [await verifyOne(session_id, options), await verifyAll(options)];
  return { exported, bundled, verified, said: JSON.stringify([copied, exported, bundled, verified]) };
}

const session = () => join("planes/ho1/sessions", session_id);
/** The target of a link: a file of the reader's, or the same files in a folder elsewhere. */
const places: Readonly<Record<string, () => string>> = {
  "its events": () => join(session(), ".events.jsonl"),
  "a ledger": () => join(session(), "ledger/exec.jsonl"),
  "its snapshot": () => join(session(), "snapshot.json"),
  "the folder of its ledgers": () => join(session(), "ledger"),
  "its folder": session,
  "the sessions of its tier": () => "planes/ho1/sessions",
  "its tier": () => "planes/ho1",
  "all planes": () => "planes",
  "a journal": () => "planes/hot/journal/w1/000001.journal",
  "a process's journal": () => "planes/hot/journal/w1",
  "the anchor log": () => "planes/hot/anchors/anchors.jsonl",
};

test.for(Object.entries(places))(
  "a link in the place of %s is refused by export, bundle and verify",
  async ([, place]) => {
    const root = received();
    const path = join(root, place());
    mkdirSync(dirname(path), { recursive: true });
    const isFile = /\.(jsonl|json|journal)$/.test(path);
    const moved = join(mkdtempSync(join(outside, "moved-")), "it");
    if (!/journal/.test(path)) renameSync(path, moved); // the original target, so that everything would verify
    rmSync(path, { recursive: true, force: true });
    symlinkSync(isFile ? join(outside, "secret") : moved, path);
    const { exported, bundled, verified, said } = await lookAt(root);
    expect(exported).toMatchObject({
      ok: false,
      error: { code: "LEDGER_CORRUPT", message: expect.stringContaining(path) },
    });
    expect(bundled).toMatchObject({ ok: false, error: { code: "LEDGER_CORRUPT" } });
    for (const { ok, violations, sessions } of verified) {
      expect(ok).toBe(false);
      expect([...violations, ...sessions.flatMap((each) => each.violations)].map(({ kind }) => kind)).toContain("link");
    }
    expect(said).not.toContain("TOP-SECRET");
  },
);

test("a workspace that is itself reached by a link is read as usual", async () => {
  const link = join(mkdtempSync(join(outside, "links-")), "to-it");
  symlinkSync(received(), link);
  const { exported, bundled, verified } = await lookAt(link);
  expect([exported.ok, bundled.ok, ...verified.map(({ ok }) => ok)]).toEqual([true, true, true, true]);
});
