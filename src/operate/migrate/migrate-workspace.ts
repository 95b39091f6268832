import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import { openDatabase, openSqlite, type Postgres } from "#core/database";
import { domainError } from "#core/errors";
import { nodeFiles } from "#core/machine";
import { type Clock, createIds, err, ok, type Random, type Result, type RunId, sha256 } from "#core/values";
import { withPrograms } from "#effects";
import { postgresContractBlobs, workspaceSecrets } from "#governance";
import { JsonlReader, PostgresLog, PostgresReader, type SessionInfo } from "#log";
import { anchorLinesIn, copyAnchors } from "#proof";
import { insertReadyWork, openPostgresKernel, postgresDocuments } from "#runs";
import type { WritConfig } from "#workspace";
import { type Environment, loadConfig, storePlace } from "#workspace";
import { openPostgresSharedStore } from "../store/postgres-shared-store.ts";
import type { Rebuilt } from "../store/rebuild-from-events.ts";
import { rebuildLostStore } from "../store/rebuild-lost-store.ts";
import { copySession } from "./copy-session.ts";
import { copyTable, type MovedRows } from "./copy-table.ts";
import { kernelTables, sharedTables } from "./tables.ts";

const textsAtOnce = 200;

export interface MigrationOptions {
  readonly root: string;
  /** `sqlite:FILE`, the workspace's shared store; its kernel, documents and sessions lie where it keeps them. */
  readonly from: string;
  readonly to: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Environment;
  /** Called after every step. */
  readonly onStep?: (step: string) => void;
}

export interface Migration {
  readonly tables: readonly MovedRows[];
  readonly sessions: { readonly moved: number; readonly there: number };
  readonly documents: number;
}

/**
 * Moves a workspace into PostgreSQL: tables, documents, sessions. Nothing is changed where it came from. Every part is
 * compared with what can be read of it afterwards. An interrupted migration continues where it stopped when it is run again.
 */
export async function migrateWorkspace(wanted: MigrationOptions): Promise<Result<Migration>> {
  const { root, from, clock, random, env } = wanted;
  if (!from.startsWith("sqlite:"))
    return err(
      domainError("MALFORMED_INPUT", "a workspace is moved from sqlite:FILE into PostgreSQL, and not back", {
        details: { hint: "the files stay as they were; `writ session export` gives what was recorded since" },
      }),
    );
  const config = await loadConfig(root, nodeFiles, env);
  if (!config.ok) return config;
  const place = await withPrograms(wanted, async (programs) => {
    const secrets = await workspaceSecrets(config.value, { root, env, clock, programs });
    return secrets.ok ? storePlace(wanted.to, root, secrets.value) : secrets;
  });
  if (!place.ok) return place;
  if (place.value.kind !== "postgres")
    return err(domainError("MALFORMED_INPUT", `a workspace is moved to postgres://…, not to "${wanted.to}"`));
  const file = from.slice("sqlite:".length);
  const shared = isAbsolute(file) ? file : join(root, file);
  // A store that was lost would arrive as one that never held anything.
  const whole = await rebuildLostStore(shared, {
    clock,
    rebuild: () => rebuiltFrom(root, clock, config.value),
    onNotice: wanted.onStep,
  });
  if (!whole.ok) return whole;
  const opened = await openDatabase(place.value.address, { clock, random });
  if (!opened.ok) return opened;
  try {
    return await move(wanted, shared, opened.value);
  } finally {
    await opened.value.close();
  }
}

/** Loaded when it is needed: the rebuilders of orders and budgets import nearly all of Writ. */
async function rebuiltFrom(root: string, clock: Clock, config: WritConfig): Promise<Result<Rebuilt | undefined>> {
  const { workspaceKey } = await import("../../workspace/keys/workspace-key.ts");
  const { rebuildFromEvents } = await import("../store/rebuild-from-events.ts");
  const key = await workspaceKey(root, config);
  return key.ok ? rebuildFromEvents({ root, clock, budget: config.workspace_budget, key: key.value }) : key;
}

async function move(wanted: MigrationOptions, shared: string, postgres: Postgres): Promise<Result<Migration>> {
  const { root, clock, random, onStep = () => undefined } = wanted;
  const made = await makeTables(root, postgres, clock, random);
  if (!made.ok) return made;
  const kernel = join(root, "planes", "hot", "kernel.db");
  const tables: MovedRows[] = [];
  for (const [path, list] of [
    [shared, sharedTables],
    [kernel, kernelTables],
  ] as const) {
    if (!existsSync(path)) continue;
    const source = openSqlite(path, { readonly: true });
    if (!source.ok) return source;
    try {
      for (const table of list) {
        const copied = await copyTable(source.value, postgres, table);
        if (!copied.ok) return copied;
        if (copied.value) tables.push(copied.value);
        if (copied.value) onStep(`${table.name}: ${copied.value.rows} rows`);
      }
      if (list === kernelTables) {
        const open = source.value.prepare("SELECT run_id FROM run WHERE open_work > 0").pluck().all() as RunId[];
        const placed = await insertReadyWork(postgres, open);
        if (!placed.ok) return placed;
      }
    } finally {
      source.value.close();
    }
  }
  const documents = await moveDocuments(join(dirname(kernel), "documents"), postgres);
  if (!documents.ok) return documents;
  onStep(`documents: ${documents.value}`);
  const contracts = await moveContracts(join(root, "planes", "hot", "law"), postgres);
  if (!contracts.ok) return contracts;
  onStep(`law and contexts: ${contracts.value}`);
  const anchors = await copyAnchors(root, postgres);
  if (!anchors.ok) return anchors;
  onStep(`anchor log: ${anchors.value} lines`);
  const sessions = await moveSessions(wanted, postgres);
  return sessions.ok ? ok({ tables, sessions: sessions.value, documents: documents.value }) : sessions;
}

async function makeTables(root: string, postgres: Postgres, clock: Clock, random: Random): Promise<Result<void>> {
  const shared = await openPostgresSharedStore(postgres, { clock });
  if (!shared.ok) return shared;
  const kernel = await openPostgresKernel(postgres, { clock });
  if (!kernel.ok) return kernel;
  const redactor = { redactJson: <T>(value: T) => ({ value }) };
  const log = new PostgresLog({
    postgres,
    root,
    schemas: shippedRegistry(),
    redactor,
    clock,
    ids: createIds(clock, random),
  });
  const begun = await log.create({ tier: "hot" }); // an unwritten session leaves no trace; its tables do
  await log.shutdown();
  return begun.ok ? ok(undefined) : begun;
}

async function moveDocuments(folder: string, postgres: Postgres): Promise<Result<number>> {
  if (!existsSync(folder)) return ok(0);
  const documents = await postgresDocuments(postgres);
  if (!documents.ok) return documents;
  let moved = 0;
  for (const sub of readdirSync(folder).filter((name) => /^[0-9a-f]{2}$/.test(name)))
    for (const rest of readdirSync(join(folder, sub))) {
      const content = readFileSync(join(folder, sub, rest));
      if (sha256(content) !== `${sub}${rest}`)
        return err(domainError("LEDGER_CORRUPT", `the document ${sub}${rest} no longer matches its name`));
      const put = await documents.value.put(content);
      if (!put.ok) return put;
      moved += 1;
    }
  return ok(moved);
}

/** The pinned contracts: open sessions need them to resume, on whichever machine. */
async function moveContracts(folder: string, postgres: Postgres): Promise<Result<number>> {
  if (!existsSync(folder)) return ok(0);
  const names = readdirSync(folder).filter((name) => /^[0-9a-f]{64}(\.context\.json)?$/.test(name));
  const texts = postgresContractBlobs(postgres);
  for (let index = 0; index < names.length; index += textsAtOnce) {
    const some = names.slice(index, index + textsAtOnce);
    const kept = await texts.keepTexts(some.map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") })));
    if (!kept.ok) return kept;
  }
  return ok(names.length);
}

async function moveSessions(
  { root, clock, onStep = () => undefined }: MigrationOptions,
  postgres: Postgres,
): Promise<Result<Migration["sessions"]>> {
  const files = new JsonlReader({ root, rules: ledgerRules, clock, pollMs: 50 });
  const { tenant } = postgres.address;
  const reader = new PostgresReader({
    postgres,
    tenant,
    root,
    rules: ledgerRules,
    clock,
    pollMs: 100,
    anchorLines: () => anchorLinesIn(postgres, tenant, root),
  });
  const infos: SessionInfo[] = [];
  for await (const info of files.list()) {
    if (!info.ok) return info;
    infos.push(info.value);
  }
  let [moved, there] = [0, 0];
  for (const info of infos) {
    const copied = await copySession(info, files, { postgres, reader });
    if (!copied.ok) return copied;
    if (copied.value === "moved") moved += 1;
    else there += 1;
    if ((moved + there) % 100 === 0) onStep(`sessions: ${moved + there} of ${infos.length}`);
  }
  onStep(`sessions: ${moved} moved, ${there} were there`);
  return ok({ moved, there });
}
