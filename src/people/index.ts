/** Who asks and who decides: identity, grants, API keys, approvals. Knows no work order. */

export type { Approval } from "./approvals/approval.ts";
export type { ApprovalKind, ApprovalKinds, Deciding, FollowUp, StillOpen } from "./approvals/approval-kind.ts";
export { type Ask, type Denied, pendingError, type Verdict } from "./approvals/ask.ts";
export type { CarryOut } from "./approvals/consequence.ts";
export { contradicts } from "./approvals/decide-approval.ts";
export { createDecisions, type Decisions } from "./approvals/decisions.ts";
export { followUpOf } from "./approvals/follow-up.ts";
export { askIn, createInbox, type Inbox } from "./approvals/inbox.ts";
export type { ApprovalStore, StoredApproval } from "./approvals/store/approval-store.ts";
export { ApprovalsFromEvents } from "./approvals/store/approvals-from-events.ts";
export { postgresApprovals } from "./approvals/store/postgres.ts";
export { approvalMigrations, rebuildApprovals, sqliteApprovals } from "./approvals/store/sqlite.ts";
export { waitingSessions } from "./approvals/waiting-sessions.ts";
export { postgresRequestKeys } from "./idempotency-keys/postgres.ts";
export type { RequestKeyStore } from "./idempotency-keys/request-key-store.ts";
export { requestKeyMigrations, sqliteRequestKeys } from "./idempotency-keys/sqlite.ts";
export { type Authorization, authorizeOrder, weighOrder } from "./identity/authorize-order.ts";
export { devCaller, localCaller } from "./identity/caller.ts";
export { checkChain } from "./identity/check-chain.ts";
export { covers } from "./identity/covers.ts";
export { type Keyring } from "./identity/keyring.ts";
export { orderNeeds } from "./identity/order-needs.ts";
export type { ApiKeyStore, StoredApiKey } from "./keys/store/api-key-store.ts";
export { postgresApiKeys } from "./keys/store/postgres.ts";
export { rebuildApiKeys, sqliteApiKeys } from "./keys/store/sqlite.ts";
export { openPeople, type PeopleParts } from "./open.ts";
