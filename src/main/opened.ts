import type { CommandNode } from "#core/commands";
import type { SchemaRegistry } from "#core/contracts";
import type { DoctorCheck } from "#core/shapes";
import type { Result, SessionId } from "#core/values";
import type { RecordedSession } from "#effects";
import type { Packages, Records } from "#governance";
import type { EventKinds, LogReader } from "#log";
import type { ControlParts } from "#operate";
import type { Decisions, Inbox } from "#people";
import type { OpenKernel } from "#runs";
import type { BacktestService, Workflows } from "#workflows";
import type { Bound } from "../surface/cli/open-parts.ts";
import type { Runtime } from "./parts.ts";
import type { ServerOptions, serveMcp, startServer } from "./server/start-server.ts";

/** For a command that renders events. */
type Rendering = { readonly eventKinds: EventKinds };

/** What is opened for each need that a command may name. */
export interface Opened {
  readonly nothing: object;
  /** The folder alone; nothing in it is opened. */
  readonly workspace: { readonly root: string };
  /** The folder where there is one; a folder that was named must be one. */
  readonly "workspace or none": { readonly root: string | undefined };
  /** The same with every check of the doctor. */
  readonly "check-up": { readonly root: string | undefined; readonly checks: readonly DoctorCheck[] };
  /** What it declares as cycles, read without opening its records. */
  readonly workflows: { readonly workflows: Workflows; readonly schemas: SchemaRegistry };
  readonly packages: Packages;
  /** What was recorded, for looking only. */
  readonly records: Records;
  /** What was recorded, for proving it, whatever the configuration says. */
  readonly proof: Records;
  /** What stops and refuses, whatever the configuration says: without trust, and without a program of the workspace. */
  readonly controls: ControlParts;
  /** The same with the session that the first argument names, `last` unless it does. */
  readonly "recorded session": RecordedSession & Rendering;
  /** The past for judging it: nothing is called and nothing is recorded. */
  readonly past: { readonly root: string; readonly reader: LogReader; readonly backtests: BacktestService };
  readonly runtime: Runtime & Rendering;
  readonly session: { readonly session_id: SessionId; readonly runtime: Runtime & Rendering };
  /** A store that is not there is made. */
  readonly kernel: OpenKernel;
  /** A store that is not there is refused: a command that looks makes none. */
  readonly "existing kernel": OpenKernel;
  /** For a command that lets runs happen in this process. */
  readonly workerPool: OpenKernel & { readonly runtime: Runtime };
  /** The same for a command that serves, with the servers over it. */
  readonly server: Opened["workerPool"] & {
    startServer(wanted: Omit<ServerOptions, OfServer>): ReturnType<typeof startServer>;
    serveMcp(wanted: Omit<Parameters<typeof serveMcp>[0], OfServer>): Promise<Result<void>>;
  };
  /** Everything that waits for a person, the blocked work of runs included. */
  readonly inbox: { readonly inbox: Inbox; readonly decisions: Decisions };
  /** For a command whose options decide: it opens what it needs itself. */
  readonly choice: Bound<Pick<Opened, Openable>>;
}

/** What a server is given by its opener; the rest is said by the command. */
type OfServer = "runtime" | "kernel" | "clock" | "version";

export type Openable = Exclude<keyof Opened, "nothing" | "choice">;

/** A command, or a group of commands, whose parts are all there. */
export type AnyCommand = CommandNode<Opened>;
