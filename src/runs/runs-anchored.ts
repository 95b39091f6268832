import type { Postgres } from "#core/database";
import { type DomainError } from "#core/errors";
import { type Clock, isSessionId, ok, type Result, type RunId, sleep } from "#core/values";
import {
  AnchorLog,
  anchorLinesIn,
  loadSigningKey,
  loadVerifyingKey,
  openMemory,
  PostgresAnchors,
  readAnchors,
} from "#proof";
import type { Environment, WritConfig } from "#workspace";
import { findSigningFiles, signingFilesOf } from "#workspace";
import { type Documents } from "./kernel/documents.ts";
import { type Kernel } from "./kernel/kernel.ts";
import { type AnchoredRun, createRunAnchors } from "./kernel/run-anchors.ts";
import { verifyArchive } from "./kernel/verify-archive.ts";
import { verifyRun } from "./kernel/verify-run.ts";

/** The anchor log: in the PostgreSQL database, or in the workspace's files. */
interface AnchorPlace {
  readonly root: string;
  readonly env?: Environment;
  readonly postgres?: Postgres | undefined;
}

/** The newest head of each run in the workspace's anchor log. */
async function anchoredRuns({ root, env = {}, postgres }: AnchorPlace): Promise<ReadonlyMap<string, AnchoredRun>> {
  const key = loadVerifyingKey((await findSigningFiles(root, env)).public);
  const reader = postgres && { anchorLines: () => anchorLinesIn(postgres, postgres.address.tenant, root) };
  const record = await readAnchors(root, key.ok ? key.value : undefined, reader);
  const heads = new Map<string, AnchoredRun>();
  for (const { session_id, seq, head_hash, closed_at } of record.leaves) {
    if (isSessionId(session_id)) continue;
    heads.set(session_id, {
      run_id: session_id as RunId,
      seq,
      hash: head_hash,
      closed: closed_at !== null,
    });
  }
  return heads;
}

/** Runs a conductor and beside it anchors the heads of runs: at intervals, and once at the end. */
export async function keepingRunsAnchored(
  place: AnchorPlace & {
    readonly config: WritConfig;
    readonly kernel: Kernel;
    readonly clock: Clock;
    readonly onProblem?: (problem: DomainError) => void;
  },
  work: () => Promise<unknown>,
): Promise<Result<void>> {
  const { root, config, kernel, clock, postgres } = place;
  const key = loadSigningKey(signingFilesOf(root, config).private);
  if (!key.ok) return key;
  const memory = await openMemory({ root, env: place.env ?? {}, postgres, clock });
  const onCheckpoint = memory?.note;
  const anchors = postgres
    ? new PostgresAnchors({ root, postgres, key: key.value, clock, onCheckpoint })
    : new AnchorLog({ root, key: key.value, clock, onCheckpoint });
  const runs = createRunAnchors({ kernel, anchors, anchored: (await anchoredRuns(place)).values() });
  const over = new AbortController();
  const atIntervals = async (): Promise<void> => {
    while (await sleep(clock, config.signing.anchor_seconds * 1_000, over.signal)) {
      const added = await runs.anchorGrown();
      if (!added.ok) place.onProblem?.(added.error);
    }
  };
  const anchoring = atIntervals();
  await work();
  over.abort();
  await anchoring;
  const last = await runs.anchorGrown();
  await memory?.drained();
  return last.ok ? ok(undefined) : last;
}

export interface VerifiedRun {
  readonly run_id: string;
  readonly ok: boolean;
  readonly events: number;
  readonly anchored_seq: number | null;
  readonly violations: readonly string[];
}

/** Verifies runs against their history and their anchored heads; without a name all runs, and that none is missing. */
export async function verifyRuns(
  place: AnchorPlace & { readonly kernel: Kernel; readonly documents: Documents },
  named?: RunId,
): Promise<Result<readonly VerifiedRun[]>> {
  const heads = await anchoredRuns(place);
  const ids = named === undefined ? await knownRuns(place.kernel, heads) : ok([named]);
  if (!ids.ok) return ids;
  const verified: VerifiedRun[] = [];
  for (const id of ids.value) {
    const one = await verifyOneRun(place, id, heads.get(id));
    if (!one.ok) return one;
    verified.push(one.value);
  }
  return ok(verified);
}

async function knownRuns(kernel: Kernel, heads: ReadonlyMap<string, AnchoredRun>): Promise<Result<readonly RunId[]>> {
  const ids = new Set<string>(heads.keys());
  for (let before: string | undefined; ; ) {
    const page = await kernel.read.runs({ limit: 500, ...(before === undefined ? {} : { before }) });
    if (!page.ok) return page;
    for (const { run_id } of page.value) ids.add(run_id);
    before = page.value.at(-1)?.run_id;
    if (page.value.length < 500) return ok([...ids].sort() as RunId[]);
  }
}

async function verifyOneRun(
  { kernel, documents }: { readonly kernel: Kernel; readonly documents: Documents },
  run_id: RunId,
  head: AnchoredRun | undefined,
): Promise<Result<VerifiedRun>> {
  const anchored_seq = head?.seq ?? null;
  const run = await kernel.read.run(run_id);
  if (!run.ok) {
    if (run.error.code !== "NOT_FOUND" || !head) return run;
    const gone = `the run was anchored with ${head.seq} events and is not here any more`;
    return ok({ run_id, ok: false, events: 0, anchored_seq, violations: [gone] });
  }
  const { archive_ref } = run.value;
  const verdict =
    archive_ref === undefined
      ? await verifyRun(kernel.read, run_id, head)
      : await verifyArchive(documents, { run_id, archive_ref }, head);
  if (!verdict.ok) return verdict;
  const { ok: isSound, events, violations } = verdict.value;
  return ok({ run_id, ok: isSound, events, anchored_seq, violations });
}
