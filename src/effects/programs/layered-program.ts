import type { Program, ProgramRequest, ProgramSpec, Programs, RunningProgram } from "#core/machine";
import type { Result } from "#core/values";
import type { Mandate, UnshownFile } from "#governance/mandate";
import type { Isolation } from "../turns/isolation.ts";
import type { UnkeptWrites } from "./unkept-writes.ts";

/** A program in a dialogue. What it writes in the workspace lies in a layer of its own, from which turns take it. */
export interface LayeredProgram extends RunningProgram {
  /** Absent outside a sandbox, and where it may write nothing in the workspace. */
  readonly layer?: ProgramLayer;
  /** What agents wrote and it is not shown, although its rights cover it. */
  readonly unshown?: readonly UnshownFile[];
  /** Of one that may write nothing in the workspace: what it changed there all the same, in a layer that is dropped with it. */
  readonly unkept?: () => UnkeptWrites;
}

export interface ProgramLayer {
  readonly isolation: Isolation;
  readonly upper: string;
  /** The workspace as the program sees it. */
  readonly merged: string;
  /** What it could not see, and so could not remove. */
  readonly hidden: ReadonlySet<string>;
  /** What agents wrote and it is not shown: what it writes there would be over something that it takes for absent. */
  readonly unshown: readonly UnshownFile[];
  /** Patterns of the workspace that its rights let it write. */
  readonly writes: readonly string[];
}

export type StartRequest = Omit<ProgramRequest, "stdin" | "timeoutMs" | "maxOutputBytes"> & {
  /** Of the order that it works for: it sees no more than that may read. */
  readonly mandate?: Mandate;
};

/** The programs of a workspace as effects know them: those that write in it have a layer. */
export interface WorkspacePrograms extends Programs {
  admit(spec: ProgramSpec): Promise<Result<WorkspaceProgram>>;
}

export interface WorkspaceProgram extends Program {
  start(request: StartRequest): Promise<Result<LayeredProgram>>;
}
