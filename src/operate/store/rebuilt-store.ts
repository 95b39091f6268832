import type { SpentShare } from "#agents";
import type { StoredToolPin } from "#effects";
import type { GrantUse, StoredApiKey, StoredApproval } from "#people";
import type { RecordedOrders, StandingHalt, StoredMessage } from "#work";

/** What a shared store held, read from the events. Of two records of one thing the first counts. */
export interface RebuiltStore extends RecordedOrders {
  readonly shares: readonly SpentShare[];
  readonly halts: readonly StandingHalt[];
  readonly approvals: readonly StoredApproval[];
  readonly toolPins: readonly StoredToolPin[];
  readonly apiKeys: readonly StoredApiKey[];
  readonly grantUses: readonly GrantUse[];
  readonly threads: readonly StoredMessage[];
}
