import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonlLog, SessionLog } from "#log";
import { halted, output, readAll, start, temporaryFolder, testLog, value } from "../../../test/support/log.ts";
import type { ProofBundle } from "./bundle.ts";
import { recordBegins } from "./bundle-page.ts";
import { writeBundle } from "./write-bundle.ts";

const said = { key: undefined, version: "test", now: "2026-11-15T00:00:00.000Z" };

async function longSession(log: JsonlLog): Promise<SessionLog> {
  const session = value(await log.create({ tier: "ho1" }));
  value(session.stage(start));
  for (let line = 0; line < 3_000; line++)
    value(session.stage(line % 3 === 0 ? halted(`${line}`) : output("</script>\u2028€".repeat(line % 40))));
  value(await session.append(output("last")));
  value(await log.flush());
  return session;
}

test("a long session comes in portions, and together they are the record", async () => {
  const root = temporaryFolder();
  const log = testLog(root);
  const { session_id } = await longSession(log);
  const parts: string[] = [];
  const written = await writeBundle(session_id, { ...said, reader: log, root }, (text) => parts.push(text));
  expect(written).toEqual({ ok: true, value: { isAnchored: false } });
  const page = parts.join("");
  expect(parts.length).toBeGreaterThan(8);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(page.length / 2);
  const from = page.indexOf(recordBegins) + recordBegins.length;
  const record = page.slice(from, page.indexOf("<", from));
  expect(record).not.toContain("\u2028");
  const bundle = JSON.parse(record) as ProofBundle;
  const hashes = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as { hash: string }).hash);
  expect(hashes(bundle.events)).toEqual((await readAll(log, session_id)).map(({ hash }) => hash));
  expect([bundle.exec.length, bundle.evidence.length, bundle.proof]).toEqual([1_001, 1, null]);
});

test("what is no text cannot be written, and the answer says so", async () => {
  const root = temporaryFolder();
  const log = testLog(root);
  const session = await longSession(log);
  const { folder } = value(await log.locate(session.session_id));
  value(await log.shutdown());
  appendFileSync(join(folder, ".events.jsonl"), Buffer.from([0xff, 0xfe, 10]));
  const written = await writeBundle(session.session_id, { ...said, reader: testLog(root), root }, () => undefined);
  expect(written).toMatchObject({ ok: false, error: { code: "LEDGER_CORRUPT" } });
});
