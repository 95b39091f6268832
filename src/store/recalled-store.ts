import type { StoredApiKey } from "./repositories/api-keys/api-key-store.ts";
import type { StoredApproval } from "./repositories/approvals/approval-store.ts";
import type { SpentShare } from "./repositories/budget-shares/share-store.ts";
import type { StandingHalt } from "./repositories/halts/halt-store.ts";
import type { StoredToolPin } from "./repositories/tool-pins/tool-pin-store.ts";
import type { RecordedOrders } from "./repositories/work-orders/order-store.ts";

/** What a shared store held, as the events tell it. Of what is told twice, the first counts. */
export interface RecalledStore extends RecordedOrders {
  readonly shares: readonly SpentShare[];
  readonly halts: readonly StandingHalt[];
  readonly approvals: readonly StoredApproval[];
  readonly toolPins: readonly StoredToolPin[];
  readonly apiKeys: readonly StoredApiKey[];
}
