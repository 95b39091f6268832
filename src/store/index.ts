/** The shared database: connections, migrations, transactions, and who is alive. Knows no table but its own. */
export type { Migration } from "./migration.ts";
export type {
  BudgetShare,
  OrderClaim,
  OrderClaimed,
  PoolLimits,
  SharedStore,
  StandingHalt,
  StoredToolPin,
} from "./shared-store.ts";
export { openSqlite, type Sqlite } from "./sqlite/connection.ts";
export { holdLiveness, isAlive, type LivenessLock, openTurnLock, type TurnLock } from "./sqlite/liveness.ts";
export { migrate } from "./sqlite/migrate.ts";
export { openSharedStore } from "./sqlite/shared-store.ts";
