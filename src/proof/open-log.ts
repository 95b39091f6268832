import type { SchemaRegistry } from "#core/contracts";
import type { Postgres } from "#core/database";
import type { DomainError } from "#core/errors";
import { type Clock, type DisposalStack, type IdSource, ok, type Result } from "#core/values";
import {
  type EventLog,
  JsonlLog,
  type LogReader,
  type PayloadRedactor,
  PostgresLog,
  type RecoveredSession,
} from "#log";
import { AnchorLog } from "./anchors/anchor-log.ts";
import { anchorLinesIn } from "./anchors/postgres/anchor-lines-in.ts";
import { PostgresAnchors } from "./anchors/postgres/postgres-anchors.ts";
import { loadSigningKey } from "./anchors/signing-key.ts";
import type { MachineMemory } from "./memory/machine-memory.ts";
import { SealingLog } from "./seal/sealing-log.ts";

export interface LogParts {
  readonly log: EventLog;
  /** The first session of a process finishes the journals of dead ones. Waits until what those had of the budget is settled. */
  readonly ready: () => Promise<Result<void>>;
  /** The store is behind what this machine saw of it: nothing is recorded until a person agrees. */
  readonly behind?: DomainError | undefined;
}

export interface LogNeeds {
  readonly root: string;
  readonly schemas: SchemaRegistry;
  readonly redactor: PayloadRedactor;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly postgres: Postgres | undefined;
  readonly config: {
    readonly limits: {
      readonly payload_bytes: number;
      readonly writer_lease_seconds: number;
      readonly lock_wait_seconds: number;
    };
    readonly signing: { readonly anchor_seconds: number };
  };
  /** The file of the private key that signs anchors. */
  readonly signingKeyFile: string;
  /** What this machine keeps of the store; absent where there is no place for it. */
  readonly memory?: MachineMemory | undefined;
  /** Settles what sessions of dead processes still hold of the budget. */
  readonly settleDead: (sessions: readonly RecoveredSession[], reader: LogReader) => Promise<Result<void>>;
}

/** The workspace's log: journal and session files below, or a database; snapshots and anchors at each close. */
export async function openLog(needs: LogNeeds, stack: DisposalStack): Promise<Result<LogParts>> {
  const { root, config, schemas, redactor, clock, ids, postgres, settleDead, memory } = needs;
  const key = loadSigningKey(needs.signingKeyFile);
  if (!key.ok) return key;
  const judged = (await memory?.judge(postgres)) ?? ok(undefined);
  const behind = judged.ok ? undefined : judged.error;
  const onCheckpoint = memory?.note;
  const anchors = postgres
    ? new PostgresAnchors({ root, postgres, key: key.value, clock, onCheckpoint })
    : new AnchorLog({ root, key: key.value, clock, onCheckpoint });
  stack.defer(() => memory?.drained());
  let finishing: Promise<Result<void>> = Promise.resolve(ok(undefined));
  const onOrphan = (orphan: RecoveredSession) => settleDead([orphan], kept);
  const onRecovered = (recovered: readonly RecoveredSession[]): void => {
    log.finish(recovered);
    if (!postgres) finishing = settleDead(recovered, kept); // a database settles them one by one: onOrphan
  };
  const common = { root, schemas, redactor, clock, ids, onRecovered };
  const maxPayloadBytes = config.limits.payload_bytes;
  const writerLeaseMs = config.limits.writer_lease_seconds * 1000;
  const kept: EventLog = postgres
    ? new PostgresLog({
        ...common,
        anchorLines: () => anchorLinesIn(postgres, postgres.address.tenant, root),
        onOrphan,
        postgres,
        limits: { maxPayloadBytes, writerLeaseMs },
      })
    : new JsonlLog({ ...common, limits: { maxPayloadBytes, lockWaitMs: config.limits.lock_wait_seconds * 1000 } });
  const log: SealingLog = new SealingLog({ log: kept, schemas, anchors, refused: behind });
  stack.defer(() => log.shutdown());
  stack.defer(anchorAtIntervals(log, clock, config.signing.anchor_seconds * 1000));
  return ok({ log, ready: () => finishing, behind });
}

/** Sessions that stay open for long are anchored as they grow, so that a cut tail shows before they close. */
function anchorAtIntervals(log: SealingLog, clock: Clock, everyMs: number): () => void {
  let cancel: () => void;
  const arm = () => {
    cancel = clock.after(everyMs, () => {
      // A failure shows when the session closes: an anchor that cannot be written fails that too.
      void log.anchorOpen().then(arm);
    });
  };
  arm();
  return () => cancel();
}
