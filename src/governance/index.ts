/** Frameworks, registries, identity and rights, and what nobody may touch: what governs. Decides who may, never what is done. */

export { HomeReader } from "./adapters/home-reader.ts";
export { withPackageLock } from "./adapters/package-lock.ts";
export { readFolder } from "./adapters/read-folder.ts";
export { settleMs, statMark } from "./adapters/stat-mark.ts";
export { commitChanges, isUnderWay, recoverChanges } from "./adapters/transaction.ts";
export type { Approval } from "./approvals/approval.ts";
export type { ApprovalKind, ApprovalKinds, Deciding, FollowUp, Gone, StillOpen } from "./approvals/approval-kind.ts";
export { type Ask, type Denied, pendingError, type Verdict } from "./approvals/ask.ts";
export type { CarriedOut, CarryOut } from "./approvals/consequence.ts";
export { contradicts, type DecisionWish } from "./approvals/decide-approval.ts";
export { createDecisions, type Decisions } from "./approvals/decisions.ts";
export { followUpOf } from "./approvals/follow-up.ts";
export { askIn, createInbox, type Inbox, type InboxQuery } from "./approvals/inbox.ts";
export { makeVisible } from "./approvals/make-visible.ts";
export type { Framework } from "./framework.ts";
export { assetsMatch, filesOwned } from "./gates/g0-assets.ts";
export { frameworksComplete, packagesResolve } from "./gates/g1-resolve.ts";
export { signaturesHold } from "./gates/g5-signatures.ts";
export { type Finding, fileGates, type GateId, type GateVerdict, gateIds, gatesOf, verdict } from "./gates/gate.ts";
export { acceptanceRecorded, ordersAuthorized, pathsRespected, type SessionFacts } from "./gates/history.ts";
export { type Registries, readRegistries } from "./gates/registries.ts";
export {
  type Authorization,
  type AuthorizationContext,
  authorizeOrder,
  weighOrder,
} from "./identity/authorize-order.ts";
export { devCaller, type IdentityConfig, localCaller } from "./identity/caller.ts";
export { covers } from "./identity/covers.ts";
export { type CreatedKey, createKeyring, type Keyring, type KeyWish } from "./identity/keyring.ts";
export { signLink } from "./identity/sign-link.ts";
export { type FrameworkReader, type FrameworkSources, frameworkReader } from "./load-framework.ts";
export { archiveLimits, type OpenedPackage, openArchive } from "./packages/archive.ts";
export { governedFolders } from "./packages/asset-path.ts";
export { type BuiltPackage, buildPackage } from "./packages/build-package.ts";
export { decideInstall, type FileChange } from "./packages/decide-install.ts";
export { decideRemove } from "./packages/decide-remove.ts";
export type { FoundFile, HomeEvidence, InstalledPackage, PackageHome } from "./packages/home.ts";
export { receiptFiles } from "./packages/receipt.ts";
export { keyHash, whyNotSigned } from "./packages/signature.ts";
export type { TarEntry } from "./packages/tar/tar-header.ts";
export { checkTrust, type Trust, trustedAs } from "./packages/trust.ts";
export { matchesPath, whyNotNamed } from "./path-patterns.ts";
export {
  isProtectedPath,
  mayBeUnreadable,
  type ProtectedPlace,
  protectedPlaces,
  type ReadingRule,
  whyProtected,
  whyUnreadable,
} from "./protected-paths.ts";
export { decideRight, explainRight, type Grant, type RightsDecision } from "./rights.ts";
export { createSecrets, type Secrets, type SecretsOptions } from "./secrets/create-secrets.ts";
export type { SecretPorts, SecretSource } from "./secrets/read-secret.ts";
export { secretsNamedIn } from "./secrets/references.ts";
export { comparablePath, isPlainName, workspacePath } from "./workspace-path.ts";
