import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import { openPostgres, type Postgres, postgresAddress } from "#core/database";
import { createIds, type SessionId, systemClock, systemRandom } from "#core/values";
import { anchorLinesIn, loadSigningKey, PostgresAnchors, SealingLog, verifyAll } from "#proof";
import { value, writeGreeting } from "../../../test/support/greeting-session.ts";
import { freshDatabase } from "../../../test/support/postgres/shared-server.ts";
import { type SigningKey } from "../../proof/anchors/signing-key.ts";
import { leftOpenCases } from "../../proof/seal/left-open.case.ts";
import { parseLine } from "../line.ts";
import type { PayloadRedactor } from "../payload-redactor.ts";
import { PostgresLog } from "./postgres-log.ts";
import { PostgresReader } from "./postgres-reader.ts";

const unchanged: PayloadRedactor = { redactJson: (payload) => ({ value: payload }) };
const ids = createIds(systemClock, systemRandom);
let postgres: Postgres;
let root: string;
let key: SigningKey;
/** Each case has its own workspace. */
let tenant: string;
let first: SealingLog;

beforeAll(async () => {
  const address = value(postgresAddress(await freshDatabase()));
  postgres = await openPostgres(address, { clock: systemClock, random: systemRandom });
  root = mkdtempSync(join(tmpdir(), "writ-left-open-"));
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
  writeFileSync(join(root, "signing.pem"), pem);
  key = value(loadSigningKey(join(root, "signing.pem")));
});
afterAll(async () => {
  await postgres.close();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  tenant = ids.sortable("tenant");
  first = aProcess();
});
afterEach(async () => void (await first.shutdown()));

const common = () => ({
  root,
  postgres,
  tenant,
  clock: systemClock,
  anchorLines: () => anchorLinesIn(postgres, tenant, root),
});

function aProcess(): SealingLog {
  const log = new PostgresLog({ ...common(), schemas: shippedRegistry(), redactor: unchanged, ids });
  return new SealingLog({ log, schemas: shippedRegistry(), anchors: new PostgresAnchors({ ...common(), key }) });
}

const run = (text: string, values: readonly unknown[]) => postgres.rows({ name: "", text }, values);
const anchors = () => run("SELECT number, line FROM log_anchor WHERE tenant_id = $1 ORDER BY number", [tenant]);

leftOpenCases("PostgreSQL", {
  log: () => first,
  async another() {
    await first.shutdown();
    return aProcess();
  },
  async put(session_id, { events }) {
    const lines = events.trimEnd().split("\n");
    const { seq, hash } = value(parseLine(lines.at(-1) ?? ""));
    await run("DELETE FROM log_event WHERE tenant_id = $1 AND session_id = $2", [tenant, session_id]);
    await run(
      `INSERT INTO log_event (tenant_id, session_id, seq, line)
       SELECT $1, $2, seq, line FROM unnest($3::text[]) WITH ORDINALITY AS said (line, seq)`,
      [tenant, session_id, lines],
    );
    await run("UPDATE log_session SET head_seq = $3, head_hash = $4 WHERE tenant_id = $1 AND session_id = $2", [
      tenant,
      session_id,
      seq,
      hash,
    ]);
  },
  async changeAnchors(change) {
    const rows = await anchors();
    const lines = change(rows.map(([, line]) => line).join("\n")).split("\n");
    for (const [index, [number]] of rows.entries())
      await run("UPDATE log_anchor SET line = $3 WHERE tenant_id = $1 AND number = $2", [tenant, number, lines[index]]);
  },
  async verify() {
    const reader = new PostgresReader({ ...common(), rules: ledgerRules, pollMs: 10 });
    const found = await verifyAll({ root, reader, schemas: shippedRegistry(), rules: ledgerRules, key });
    return found.ok && found.sessions.length > 0;
  },
});

test("a head that another machine has anchored since the last check counts, and a missing one is reported", async () => {
  const left = async (): Promise<SessionId> => {
    const session = await writeGreeting(first, { leaveOpen: true });
    value(await session.release());
    return session.session_id;
  };
  const [one, two] = [await left(), await left()];
  const other = aProcess();
  for (const session_id of [one, two]) value(await value(await other.open(session_id)).release());
  const three = await left();
  value(await value(await other.open(three)).release());
  await run("DELETE FROM log_anchor WHERE tenant_id = $1 AND number > 2", [tenant]);
  const late = aProcess();
  const refused = await late.open(two);
  expect(refused).toMatchObject({ ok: false, error: { code: "LEDGER_CORRUPT" } });
  expect(refused.ok ? "" : refused.error.message).toContain("line 3: it is missing");
  for (const log of [other, late]) value(await log.shutdown());
});
