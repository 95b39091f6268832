/**
 * One sandboxed turn: what it may do, where it runs, what it wrote, and whether that becomes visible. Keeps declared equal to
 * realized (7.1 of the design). Knows no model, no tool and no work order beyond the rights handed in.
 */
export { type QuarantinedTurnParts, quarantinedTurn } from "./approval-kinds/quarantined-turn.ts";
export type { Capabilities, CapabilityDecision, Operation } from "./capability/capabilities.ts";
export { type NamedFile, type NamedFiles, nameFiles } from "./capability/named-files.ts";
export { type CleanedUp, type CleanUpOptions, cleanUp } from "./clean-up.ts";
export { executeTurn } from "./execute-turn.ts";
export type { Isolation, Tier } from "./isolation.ts";
export { listQuarantine, type Quarantined, showQuarantined } from "./quarantine/quarantine.ts";
export { dropQuarantined, releaseQuarantined } from "./quarantine/release.ts";
export { type RecoveredTurn, type RecoveryOptions, recoverTurns, type TakenSession } from "./recover-turns.ts";
export { defaultLimits, type TurnLimits } from "./sandbox/limits.ts";
export { createTurnSandbox, type TurnSandbox, type TurnSandboxOptions } from "./sandbox/turn-sandbox.ts";
export { takeSessionFrom } from "./take-session.ts";
export type { FunctionContext, TurnCall, TurnDeps, TurnHandler } from "./turn.ts";
export { nextTurnNumber } from "./turn-number.ts";
export { openTurnStore, type TurnStore } from "./turn-store.ts";
export { asDomainError, type FileWrite, type Written, writeFileTurn } from "./write-file-turn.ts";
