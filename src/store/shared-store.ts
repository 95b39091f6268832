import type { ApiKeyStore } from "./repositories/api-keys/api-key-store.ts";
import type { ApprovalStore } from "./repositories/approvals/approval-store.ts";
import type { ShareStore } from "./repositories/budget-shares/share-store.ts";
import type { HaltStore } from "./repositories/halts/halt-store.ts";
import type { PruneStore } from "./repositories/pruning/prune-store.ts";
import type { RateStore } from "./repositories/rates/rate-store.ts";
import type { RequestKeyStore } from "./repositories/request-keys/request-key-store.ts";
import type { ToolPinStore } from "./repositories/tool-pins/tool-pin-store.ts";
import type { OrderStore } from "./repositories/work-orders/order-store.ts";

/**
 * What several processes of one workspace hold in common: the sum of the places' repositories. Rebuilt from the events if it is
 * lost. SQLite answers at once, PostgreSQL later, so a caller always awaits.
 */
export interface SharedStore
  extends ApprovalStore,
    ApiKeyStore,
    ShareStore,
    RateStore,
    HaltStore,
    OrderStore,
    ToolPinStore,
    RequestKeyStore,
    PruneStore {
  close(): void | Promise<void>;
}
