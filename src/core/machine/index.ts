/** Files and processes of this machine, as ports and their adapters. */
export { accountName, homeFolder, homeOfAccount } from "./account.ts";
export { agentWrites, agentWrote, forgetAgentWrites, noteAgentWrites, writtenAs } from "./agent-writes.ts";
export { createFile } from "./create-file.ts";
export { hasRoomFor, isDiskFull, keepReserve, makeRoom } from "./disk-room.ts";
export { completeClock, type GivenClock } from "./given-clock.ts";
export { limitHeapGrowth } from "./limit-heap-growth.ts";
export { countLimits, type LimitsReached, readLimits } from "./limits-reached.ts";
export { lineReader } from "./line-reader.ts";
export { makeFolders } from "./make-folders.ts";
export {
  hintOfModule,
  type ModuleAnswer,
  type ModuleCall,
  type ModuleProcess,
  moduleProcess,
} from "./module-process.ts";
export { type ModuleSpec, programOfModule } from "./module-spec.ts";
export { nodeFiles } from "./node-files.ts";
export { nodeProcesses } from "./node-processes.ts";
export { ownVersion, packageRoot, studioFolder } from "./package-root.ts";
export { patternOf } from "./path-pattern.ts";
export { type ClosureFile, closureOf, codeName, type ProgramClosure } from "./program-closure.ts";
export type {
  Program,
  ProgramEnd,
  ProgramOutcome,
  ProgramRequest,
  ProgramRights,
  ProgramSpec,
  Programs,
  ProgramTier,
  RunningProgram,
} from "./programs.ts";
export { readingFailure } from "./reading-failure.ts";
export { rememberingFiles } from "./remembering-files.ts";
export { type Left, removeTree, removeTreeInSlices, removeWholeTree } from "./remove-tree.ts";
export { replaceFile } from "./replace-file.ts";
export { withScratchFolder } from "./scratch-folder.ts";
export { syncFolder, syncFolderNow } from "./sync-folder.ts";
export { freeBytes, tryWriting } from "./try-writing.ts";
export { whileUnchanged } from "./while-unchanged.ts";
