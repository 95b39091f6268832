import type { Readable, Writable } from "node:stream";
import type { Sha256 } from "../values/hash.ts";
import type { ProcessOutcome, ProcessRequest } from "../values/processes.ts";
import type { Result } from "../values/result.ts";

/** What `writ.yaml` lets one program touch, beside its own files and a scratch folder. An absent list grants nothing. */
export interface ProgramRights {
  /** Files, folders and patterns of the workspace that it runs; taken as they are when it is admitted. */
  readonly code?: readonly string[];
  /** Patterns of the workspace, and absolute paths, that it reads as they are at the moment, without what agents wrote. */
  readonly read?: readonly string[];
  /** The same with what agents wrote since a person last agreed. */
  readonly live?: readonly string[];
  /** The same for writing. In the workspace its writes are turns. */
  readonly write?: readonly string[];
  /** Hosts that it reaches through the gate. */
  readonly hosts?: readonly string[];
  /** Secrets that it finds as variables of its environment. */
  readonly secrets?: readonly string[];
  /** The weakest isolation that it may run in, where that is less than the workspace asks for. */
  readonly tier?: "T1" | "T2" | "T3";
}

/** A program that the configuration of a workspace names. */
export interface ProgramSpec {
  /** The key that names it, such as `secrets.TOKEN` or `mcp.servers.files`. */
  readonly where: string;
  /** The words of its command line: those that name files are its own files. */
  readonly words: readonly string[];
  /** The folder that its words are read from; the workspace by default. */
  readonly cwd?: string;
  readonly rights: ProgramRights;
}

/** A program that is started from a snapshot of its files, in a sandbox. */
export interface Program {
  /** Of the snapshot that it runs from. */
  readonly closure: Sha256;
  /** Makes its sandbox ready, so that its own time limit is not spent on that. */
  prepare(): Promise<void>;
  run(request: ProgramRequest): Promise<Result<ProgramOutcome>>;
  /** Starts it for a dialogue over stdin and stdout. It ends with this process, whichever way that dies. */
  start(request: Omit<ProgramRequest, "stdin" | "timeoutMs" | "maxOutputBytes">): Promise<Result<RunningProgram>>;
}

export type ProgramRequest = Omit<ProcessRequest, "cwd"> & {
  /** For the session whose writes it is to see; the workspace as it is without one. */
  readonly session_id?: string;
  /** A folder of the workspace; its root by default. */
  readonly cwd?: string;
};

export interface ProgramOutcome extends ProcessOutcome {
  /** The tier of isolation that it ran in; T1 is none. */
  readonly tier: ProgramTier;
}

export type ProgramTier = "T1" | "T2" | "T3";

export interface RunningProgram {
  readonly pid: number | undefined;
  readonly tier: ProgramTier;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<ProgramEnd>;
  /** True once agents wrote what it would not be shown if it started now. It shows to what is running, so nothing more is asked of that. */
  readonly isStale?: () => boolean;
  /** Asks it to end, or with `SIGKILL` ends it with everything that it started. False where this process may not. */
  kill(signal: "SIGTERM" | "SIGKILL"): boolean;
}

export interface ProgramEnd {
  /** In words. */
  readonly why: string;
  /** False where processes of another user (`sudo -u …`) are left, which may hold its pipes open. */
  readonly isGone: boolean;
}

/** Runs the programs that a workspace's configuration names. What it admits is pinned: what is written to its files later does not run. */
export interface Programs {
  admit(spec: ProgramSpec): Promise<Result<Program>>;
}
