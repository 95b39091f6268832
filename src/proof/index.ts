/** Why a record can be believed: anchors, seals, verification, export, comparison. Reads the log and never writes a session. */
export type { Anchors } from "./anchors/anchor-leaf.ts";
export { AnchorLog } from "./anchors/anchor-log.ts";
export { anchorLinesIn } from "./anchors/postgres/anchor-lines-in.ts";
export { copyAnchors } from "./anchors/postgres/copy-anchors.ts";
export { PostgresAnchors } from "./anchors/postgres/postgres-anchors.ts";
export { readAnchors } from "./anchors/read-anchors.ts";
export { loadSigningKey, parseSigningKey, type VerifyingKey } from "./anchors/signing-key.ts";
export { loadVerifyingKey, type Succession, successionFile } from "./anchors/succession.ts";
export { sessionOf } from "./http/sessions.ts";
export { ending, resumeAfter, resuming, theEnd } from "./http/streams.ts";
export { type Kept, readKept } from "./memory/kept-checkpoint.ts";
export { forgetMemory, judgeForReading, memoryPlace, openMemory } from "./memory/memory-place.ts";
export { placeOfUser, type WorkspaceOfUser } from "./memory/place-of-user.ts";
export { type LogParts, openLog } from "./open-log.ts";
export { SealingLog } from "./seal/sealing-log.ts";
export { readingOthers } from "./verify/read-other.ts";
export { type SessionAudits, type Verification, verifySession } from "./verify/verify-session.ts";
export { type VerifiedSessions, verifyAll } from "./verify/verify-workspace.ts";
