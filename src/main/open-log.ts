import type { ShareStore } from "#agents";
import { settleDeadSessions } from "#agents";
import type { SchemaRegistry } from "#core/contracts";
import type { Postgres } from "#core/database";
import { type Clock, type IdSource, ok, type Result } from "#core/values";
import { type EventLog, JsonlLog, type PayloadRedactor, PostgresLog, type RecoveredSession } from "#log";
import { AnchorLog, anchorLinesIn, loadSigningKey, PostgresAnchors, SealingLog } from "#proof";
import type { WritConfig } from "#workspace";
import { signingFilesOf } from "#workspace";

export interface OpenedLog {
  readonly log: EventLog;
  /** The first session of a process finishes the journals of dead ones. Waits until what those had of the budget is settled. */
  readonly ready: () => Promise<Result<void>>;
  /** Ends what runs by the clock. */
  readonly stop: () => void;
}

/** The workspace's log: journal and session files below, or a database; snapshots and anchors at each close. */
export function openLog(options: {
  readonly root: string;
  readonly config: WritConfig;
  readonly schemas: SchemaRegistry;
  readonly redactor: PayloadRedactor;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly store: ShareStore;
  readonly postgres: Postgres | undefined;
}): Result<OpenedLog> {
  const { root, config, schemas, redactor, clock, ids, store, postgres } = options;
  const key = loadSigningKey(signingFilesOf(root, config).private);
  if (!key.ok) return key;
  const anchors = postgres
    ? new PostgresAnchors({ root, postgres, key: key.value, clock })
    : new AnchorLog({ root, key: key.value, clock });
  let finishing: Promise<Result<void>> = Promise.resolve(ok(undefined));
  const onOrphan = (orphan: RecoveredSession) => settleDeadSessions([orphan], kept, store);
  const onRecovered = (recovered: readonly RecoveredSession[]): void => {
    log.finish(recovered);
    if (!postgres) finishing = settleDeadSessions(recovered, kept, store); // a database settles them one by one: onOrphan
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
  const log: SealingLog = new SealingLog({ log: kept, schemas, anchors });
  const stop = anchorAtIntervals(log, clock, config.signing.anchor_seconds * 1000);
  return ok({ log, ready: () => finishing, stop });
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
