import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import type { Postgres } from "#core/database";
import { openDatabase } from "#core/database";
import { type DomainError, domainError } from "#core/errors";
import { hasRoomFor, nodeFiles } from "#core/machine";
import { type Opened, openOnStack } from "#core/shapes";
import { type Clock, createIds, type DisposalStack, err, fraction, ok, type Random, type Result } from "#core/values";
import { workspaceSecrets } from "#governance";
import { growingRedactor } from "#log";
import { judgeForReading } from "#proof";
import {
  type Environment,
  kernelFile,
  loadConfig,
  requirePlanes,
  type StorePlace,
  storePlace,
  type WritConfig,
  withoutSecrets,
} from "#workspace";
import type { WorkspaceModules } from "./apps/workspace-modules.ts";
import { type Documents } from "./kernel/documents.ts";
import { createKernel, type Kernel } from "./kernel/kernel.ts";
import { fileDocuments } from "./kernel/store/files/documents.ts";
import { type KernelStore } from "./kernel/store/port.ts";
import { postgresDocuments } from "./kernel/store/postgres/documents.ts";
import { openPostgresKernel } from "./kernel/store/postgres/open.ts";
import { postgresWakeUp } from "./kernel/store/postgres/wake-up.ts";
import { refuseCommits } from "./kernel/store/refuse-commits.ts";
import { openSqliteKernel } from "./kernel/store/sqlite/open.ts";
import { type ClockStep, sayClockStep } from "./kernel/store/sqlite/say-clock-step.ts";
import { createWakeUp, type WakeUp } from "./kernel/wake-up.ts";
import { type RunTimes, runTimes } from "./run-times.ts";

interface KernelParts {
  readonly kernel: Kernel;
  readonly documents: Documents;
  /** The PostgreSQL database, if the kernel uses one: its runs are anchored there. */
  readonly postgres: Postgres | undefined;
  /** What writ.yaml says of leases, retries and the rest. */
  readonly times: RunTimes;
  /** For apps and workers that are modules. Opened with the first. */
  readonly modules: () => Promise<WorkspaceModules>;
}

/** `close` waits for running commits, then closes the store. */
export type OpenKernel = Opened<KernelParts>;

export interface KernelPlace {
  readonly root: string;
  /** `sqlite:FILE`, relative to the workspace, or `postgres://…`; by default the workspace's store, or a file of its own. */
  readonly store?: string | undefined;
  /** The file of `store` must exist: a command that only reads creates none. */
  readonly existing?: boolean;
  readonly env?: Environment;
  readonly clock: Clock;
  readonly random: Random;
  /** From where modules are named; the workspace by default. */
  readonly cwd?: string;
  /** For notices, and for what modules print. */
  readonly stderr?: { write(text: string): void };
}

/** The store of a kernel and what belongs to it. */
interface Ground {
  readonly store: KernelStore;
  readonly documents: Documents;
  readonly wakeUp: WakeUp;
  readonly postgres: Postgres | undefined;
}

/** Opens the kernel's store, its wake-ups and its documents. */
export function openKernel(place: KernelPlace): Promise<Result<OpenKernel>> {
  return openOnStack((stack) => openParts(place, stack));
}

async function openParts(place: KernelPlace, stack: DisposalStack): Promise<Result<KernelParts>> {
  const planes = await requirePlanes(place.root);
  if (!planes.ok) return planes;
  const config = await loadConfig(place.root, nodeFiles, place.env ?? {});
  if (!config.ok) return config;
  const times = runTimes(config.value);
  const where = await wherever(place, config.value);
  if (!where.ok) return where;
  if (place.existing && place.store !== undefined && where.value.kind === "sqlite" && !existsSync(where.value.file))
    return err(noStore(where.value.file));
  const ground = await (where.value.kind === "sqlite"
    ? onSqlite({ ...place, ...times }, where.value.file, stack)
    : onPostgres({ ...place, ...times }, where.value, stack));
  if (!ground.ok) return ground;
  const { documents, wakeUp, postgres } = ground.value;
  const judged = await judgeForReading({ root: place.root, env: place.env ?? {}, postgres });
  if (!judged.ok) place.stderr?.write(`writ: ${judged.error.message}\n`);
  const store = judged.ok ? ground.value.store : refuseCommits(ground.value.store, judged.error);
  const kernel = createKernel({
    store,
    wakeUp,
    clock: place.clock,
    ids: createIds(place.clock, place.random),
    schemas: shippedRegistry(),
    defer: (callback) => void setImmediate(callback),
    spread: () => fraction(place.random),
  });
  stack.defer(() => kernel.drain());
  const everywhere = growingRedactor([]);
  if (!everywhere.ok) return everywhere;
  const redacting = redactObjectives(kernel, (objective) => everywhere.value.redactText(objective).text);
  let opened: Promise<WorkspaceModules> | undefined;
  const modules = () => (opened ??= modulesOf(place, config.value, stack));
  const started: Kernel = {
    ...redacting,
    async startRun(input) {
      const room = hasRoomFor(join(place.root, "planes"), config.value.limits.free_disk_bytes);
      return room.ok ? redacting.startRun(input) : room;
    },
  };
  return ok({ kernel: started, documents, postgres, times, modules });
}

/** Loaded with the first module: most commands name none. */
async function modulesOf(place: KernelPlace, config: WritConfig, stack: DisposalStack): Promise<WorkspaceModules> {
  const { openModules } = await import("./apps/workspace-modules.ts");
  const { root, env = {}, cwd = root, stderr } = place;
  const onNotice = (line: string) => stderr?.write(`writ: ${line}\n`);
  const onOutput = (text: string) => stderr?.write(text);
  return openModules({ ...place, config, env, cwd, onNotice, onOutput }, stack);
}

/**
 * The objective is record: every screen shows it, and every work order of the run repeats it. It is redacted before it is
 * stored, by the rules that hold everywhere, and once more by those of the workspace where that is open.
 */
export function redactObjectives(kernel: Kernel, redact: (objective: string) => string): Kernel {
  return { ...kernel, startRun: (input) => kernel.startRun({ ...input, objective: redact(input.objective) }) };
}

function noStore(file: string): DomainError {
  return domainError("NOT_FOUND", `there is no store ${file}`, {
    details: {
      where: file,
      hint: "look at the path after --store; `writ runs start` makes a store with its first run",
    },
  });
}

/** The kernel of a workspace on PostgreSQL is in that database; on SQLite it is a file beside the shared store. */
async function wherever(
  { root, store, env = {}, clock, random }: KernelPlace,
  config: WritConfig,
): Promise<Result<StorePlace>> {
  if (store?.startsWith("sqlite:")) return storePlace(store, root, withoutSecrets);
  const named = store ?? config.store;
  if (named.startsWith("sqlite:")) return storePlace(`sqlite:${kernelFile}`, root, withoutSecrets);
  const { withPrograms } = await import("../effects/programs/with-programs.ts");
  return withPrograms({ root, env, clock, random }, async (programs) => {
    const secrets = await workspaceSecrets(config, { root, env, clock, programs });
    return secrets.ok ? storePlace(named, root, secrets.value) : secrets;
  });
}

async function onSqlite(
  { clock, random, limits, stderr }: KernelPlace & RunTimes,
  file: string,
  stack: DisposalStack,
): Promise<Result<Ground>> {
  const onClockStep = (step: ClockStep) => stderr?.write(`writ: ${sayClockStep(step)}\n`);
  const store = openSqliteKernel(file, { clock, limits, onClockStep });
  if (!store.ok) return store;
  stack.defer(() => store.value.close());
  const documents = fileDocuments(join(dirname(file), "documents"), createIds(clock, random));
  return ok({ store: store.value, documents, wakeUp: createWakeUp(clock), postgres: undefined });
}

async function onPostgres(
  { clock, random, limits }: KernelPlace & RunTimes,
  { address }: Extract<StorePlace, { kind: "postgres" }>,
  stack: DisposalStack,
): Promise<Result<Ground>> {
  const opened = await openDatabase(address, { clock, random });
  if (!opened.ok) return opened;
  const postgres = opened.value;
  stack.defer(() => postgres.close());
  const store = await openPostgresKernel(postgres, { clock, limits });
  if (!store.ok) return store;
  const documents = await postgresDocuments(postgres);
  if (!documents.ok) return documents;
  const wakeUp = postgresWakeUp({ postgres, clock, ids: createIds(clock, random) });
  stack.defer(() => wakeUp.close());
  return ok({ store: store.value, documents: documents.value, wakeUp, postgres });
}
