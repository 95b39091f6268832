import { ledgerRules, loadRegistry, type SchemaRegistry, shippedRegistry } from "#core/contracts";
import { openDatabase, type Postgres } from "#core/database";
import { nodeFiles, type Programs } from "#core/machine";
import { type Clock, ok, type Random, type Result } from "#core/values";
import { JsonlReader, type LogReader, PostgresReader } from "#log";
import { anchorLinesIn, judgeForReading, loadVerifyingKey, type SessionAudits, type VerifyingKey } from "#proof";
import type { WritConfig } from "#workspace";
import {
  type Environment,
  loadConfig,
  readEnvironment,
  requirePlanes,
  type Secrets,
  signingFilesOf,
  storePlace,
} from "#workspace";
import type { SharedBlobs } from "./pinned/contract-store.ts";
import { postgresContractBlobs } from "./pinned/store/postgres.ts";
import { controlsOf } from "./trust/controls-of.ts";
import { workspaceSecrets } from "./trust/workspace-secrets.ts";
import { sessionAudits } from "./values/session-audits.ts";

/** What a workspace has recorded, for commands that only read. */
export interface Records {
  readonly root: string;
  readonly reader: LogReader;
  readonly schemas: SchemaRegistry;
  readonly rules: typeof ledgerRules;
  /** What is checked of a record, besides its chain. */
  readonly audits: SessionAudits;
  /** Texts that machines store for each other, where the workspace is on a database. */
  readonly texts?: SharedBlobs;
  /** The public key; absent when it cannot be read. */
  readonly key: VerifyingKey | undefined;
  /** Why the store is not what this machine saw last; for proving. */
  readonly behind?: string;
  close(): Promise<void>;
}

interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Environment;
  /** Where a person reads what they should know beside the answer. */
  readonly stderr?: { write(text: string): unknown };
}

/** Lends the programs of a workspace, for a store whose password a program prints; handed in, since starting them lies to the right. */
type LendPrograms = <T>(
  place: Surroundings & { readonly root: string },
  work: (programs: Programs | undefined) => Promise<T>,
) => Promise<T>;

const followMs = 50;

/** Takes no lock and writes nothing: it works while other processes write, and on a read-only mount. */
export async function openRecords(
  root: string,
  surroundings: Surroundings,
  lendPrograms: LendPrograms,
): Promise<Result<Records>> {
  const planes = await requirePlanes(root);
  if (!planes.ok) return planes;
  const schemas = await loadRegistry({ files: nodeFiles, root });
  if (!schemas.ok) return schemas;
  // An invalid variable is an error here: a user who names a store for this command does not want the records of another.
  const spoken = readEnvironment(surroundings.env);
  if (!spoken.ok) return spoken;
  const config = await loadConfig(root, nodeFiles, surroundings.env);
  const key = loadVerifyingKey(signingFilesOf(root, config.ok ? config.value : undefined).public);
  // A configuration that cannot be read hides no files: what lies in the workspace is still shown.
  const isElsewhere = config.ok && !config.value.store.startsWith("sqlite:");
  const opened = isElsewhere
    ? await readerOfDatabase(root, config.value, surroundings, lendPrograms)
    : ok(readerOfFiles(root, surroundings));
  if (!opened.ok) return opened;
  await sayIfBehind({ root, postgres: opened.value.postgres, ...surroundings });
  return ok({
    root,
    ...opened.value,
    schemas: schemas.value,
    rules: ledgerRules,
    audits: sessionAudits,
    key: key.ok ? key.value : undefined,
  });
}

/**
 * The same for proving, which no configuration may prevent: it needs no trust, and of the configuration only the
 * place of the store and of the keys counts. The workspace's own contracts, which may be broken, describe no event.
 */
export async function openProof(root: string, surroundings: Surroundings): Promise<Result<Records>> {
  const planes = await requirePlanes(root);
  if (!planes.ok) return planes;
  const controls = await controlsOf({ root, ...surroundings });
  if (!controls.ok) return controls;
  const { config, secrets } = controls.value;
  const opened = config.store.startsWith("sqlite:")
    ? ok(readerOfFiles(root, surroundings))
    : await readerOfStore({ root, store: config.store, secrets }, surroundings);
  if (!opened.ok) return opened;
  const key = loadVerifyingKey(signingFilesOf(root, config).public);
  const behind = await sayIfBehind({ root, postgres: opened.value.postgres, ...surroundings });
  return ok({
    root,
    ...opened.value,
    ...(behind === undefined ? {} : { behind }),
    schemas: shippedRegistry(),
    rules: ledgerRules,
    audits: sessionAudits,
    key: key.ok ? key.value : undefined,
  });
}

/** Reading goes on where the store is behind what this machine saw of it, and says so. */
async function sayIfBehind(
  store: Surroundings & { readonly root: string; readonly postgres: Postgres | undefined },
): Promise<string | undefined> {
  const judged = await judgeForReading(store);
  if (judged.ok) return undefined;
  store.stderr?.write(`writ: ${judged.error.message}\n`);
  return judged.error.message;
}

type OpenedReader = Pick<Records, "reader" | "texts" | "close"> & { readonly postgres?: Postgres };

function readerOfFiles(root: string, { clock }: Surroundings): OpenedReader {
  const reader = new JsonlReader({ root, rules: ledgerRules, clock, pollMs: followMs });
  return { reader, close: () => Promise.resolve() };
}

async function readerOfDatabase(
  root: string,
  config: WritConfig,
  surroundings: Surroundings,
  lendPrograms: LendPrograms,
): Promise<Result<OpenedReader>> {
  const { env, clock } = surroundings;
  return lendPrograms({ ...surroundings, root }, async (programs) => {
    const secrets = await workspaceSecrets(config, { root, env, clock, programs });
    if (!secrets.ok) return secrets;
    return readerOfStore({ root, store: config.store, secrets: secrets.value }, surroundings);
  });
}

async function readerOfStore(
  { root, store, secrets }: { readonly root: string; readonly store: string; readonly secrets: Pick<Secrets, "fill"> },
  { clock, random, env }: Surroundings,
): Promise<Result<OpenedReader>> {
  const place = await storePlace(store, root, secrets);
  if (!place.ok) return place;
  if (place.value.kind === "sqlite") return ok(readerOfFiles(root, { clock, random, env }));
  const postgres = await openDatabase(place.value.address, { clock, random });
  if (!postgres.ok) return postgres;
  const { tenant } = place.value.address;
  const reader = new PostgresReader({
    postgres: postgres.value,
    tenant,
    root,
    rules: ledgerRules,
    clock,
    pollMs: 2 * followMs,
    anchorLines: () => anchorLinesIn(postgres.value, tenant, root),
  });
  const close = () => postgres.value.close();
  return ok({ reader, texts: postgresContractBlobs(postgres.value), postgres: postgres.value, close });
}
