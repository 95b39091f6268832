/** The shared database: connections, migrations, transactions, and who is alive. Knows no table but its own. */
export type { ApprovalQuery, StoredApproval, StoredDecision, StoredWord } from "./approvals.ts";
export type { Migration } from "./migration.ts";
export { type PostgresAddress, postgresAddress } from "./postgres/address.ts";
export { openPostgres, type Postgres, type Row, type Transaction } from "./postgres/connection.ts";
export { postgresFailure } from "./postgres/failure.ts";
export { heard } from "./postgres/heard.ts";
export { migratePostgres } from "./postgres/migrate.ts";
export { openNotifications } from "./postgres/notifications.ts";
export { postgresTexts } from "./postgres/shared/kept-texts.ts";
export { openPostgresSharedStore } from "./postgres/shared/shared-store.ts";
export { type Statement, statementsBeside } from "./postgres/statement.ts";
export {
  decideSlice,
  fullBuckets,
  type RateAmount,
  type RateAsk,
  type RateLimits,
  type RateSlice,
  type RateState,
} from "./rate-bucket.ts";
export type { RecalledOrder, RecalledStore, SpentShare } from "./recalled-store.ts";
export { refuseUnkeepable } from "./refuse-unkeepable.ts";
export type {
  BudgetShare,
  OrderClaim,
  OrderClaimed,
  PoolLimits,
  Pruned,
  SharedStore,
  StandingHalt,
  StoredApiKey,
  StoredToolPin,
} from "./shared-store.ts";
export { isReadOnly, openSqlite, type Sqlite } from "./sqlite/connection.ts";
export { isNewStore } from "./sqlite/is-new-store.ts";
export { holdLiveness, isAlive, type LivenessLock, openTurnLock, type TurnLock } from "./sqlite/liveness.ts";
export { migrate } from "./sqlite/migrate.ts";
export { newDatabase } from "./sqlite/new-database.ts";
export { rebuildSharedStore } from "./sqlite/rebuild-shared-store.ts";
export { openSharedStore } from "./sqlite/shared-store.ts";
export { isBusy, useWal } from "./sqlite/use-wal.ts";
export { waitForLiveness } from "./sqlite/wait-for-liveness.ts";
