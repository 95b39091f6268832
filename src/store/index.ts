/** The shared database: connections, migrations, transactions, and who is alive. Knows no table but its own. */

export type { Migration } from "./migration.ts";
export { type PostgresAddress, postgresAddress } from "./postgres/address.ts";
export { openPostgres, type Postgres, type Row, type Transaction } from "./postgres/connection.ts";
export { postgresFailure } from "./postgres/failure.ts";
export { heard } from "./postgres/heard.ts";
export { migratePostgres } from "./postgres/migrate.ts";
export { openNotifications } from "./postgres/notifications.ts";
export { openPostgresSharedStore } from "./postgres/shared/shared-store.ts";
export { type Statement, statementsBeside } from "./postgres/statement.ts";
export type { RecalledStore } from "./recalled-store.ts";
export { refuseUnkeepable } from "./refuse-unkeepable.ts";
export type { ApiKeyStore, StoredApiKey } from "./repositories/api-keys/api-key-store.ts";
export type {
  ApprovalQuery,
  ApprovalStore,
  PendingDecision,
  StoredApproval,
  StoredDecision,
} from "./repositories/approvals/approval-store.ts";
export type { BudgetShare, PoolLimits, ShareStore, SpentShare } from "./repositories/budget-shares/share-store.ts";
export type { HaltStore, StandingHalt } from "./repositories/halts/halt-store.ts";
export { postgresTexts } from "./repositories/kept-texts/postgres.ts";
export type { Pruned, PruneStore } from "./repositories/pruning/prune-store.ts";
export {
  decideSlice,
  fullBuckets,
  type RateAmount,
  type RateAsk,
  type RateLimits,
  type RateSlice,
  type RateState,
} from "./repositories/rates/rate-bucket.ts";
export type { RateStore } from "./repositories/rates/rate-store.ts";
export type { RequestKeyStore } from "./repositories/request-keys/request-key-store.ts";
export type { StoredToolPin, ToolPinStore } from "./repositories/tool-pins/tool-pin-store.ts";
export type { OrderClaim, OrderClaimed, OrderStore, RecalledOrder } from "./repositories/work-orders/order-store.ts";
export type { SharedStore } from "./shared-store.ts";
export { isReadOnly, openSqlite, type Sqlite } from "./sqlite/connection.ts";
export { isNewStore } from "./sqlite/is-new-store.ts";
export { holdLiveness, isAlive, type LivenessLock, openTurnLock, type TurnLock } from "./sqlite/liveness.ts";
export { migrate } from "./sqlite/migrate.ts";
export { newDatabase } from "./sqlite/new-database.ts";
export { rebuildSharedStore } from "./sqlite/rebuild-shared-store.ts";
export { openSharedStore } from "./sqlite/shared-store.ts";
export { isBusy, useWal } from "./sqlite/use-wal.ts";
export { waitForLiveness } from "./sqlite/wait-for-liveness.ts";
