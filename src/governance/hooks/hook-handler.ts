import type { ProgramSpec } from "#core/machine";
import type { JsonObject, JsonValue, Sha256 } from "#core/values";
import type { HookPoint } from "./hook-point.ts";

/** What a handler may know besides its input. */
export interface HookAbout {
  readonly point: HookPoint;
  readonly session_id: string;
  readonly cwd: string | undefined;
  /** The persona of a cycle whose call it is about. */
  readonly persona?: string;
}

/** One registered policy. It is asked and it answers; it has no way to act. */
export interface HookHandler {
  readonly id: string;
  readonly point: HookPoint;
  /** Higher is asked first; equals are asked in the order of their registration. */
  readonly priority: number;
  /** Which subjects it is asked about; absent means all. */
  readonly matcher?: string;
  readonly timeoutMs: number;
  readonly kind: "function" | "module" | "command" | "http" | "mcp_tool" | "prompt" | "agent";
  /** Where it comes from, for people. */
  readonly source: string;
  /** Variables whose values an address gets. */
  readonly sends?: readonly string[];
  /** The file that registers it, where that is not writ.yaml. */
  readonly from?: string;
  /** The event of Claude Code that it is written for. */
  readonly event?: string;
  /** It comes with Writ; everything else is a word of the workspace. */
  readonly shipped?: true;
  /** Of a program or a module: what it may touch, and which files are its own. */
  readonly program?: ProgramSpec;
  /** Of the code that answers: what a session pins. */
  readonly hash: Sha256;
  /** Preparation that does not count towards its time limit. */
  prepare?(): Promise<void>;
  /** The raw answer, not checked yet. `input` is frozen to its depths. */
  run(input: JsonObject, signal: AbortSignal, about: HookAbout): Promise<unknown>;
}

export type HookInfo = Omit<HookHandler, "run" | "prepare" | "program">;

/** A text of one handler for the agents concerned. */
export interface HookContext {
  readonly handler: string;
  readonly text: string;
}

export interface HookOutcome {
  readonly decision: "allow" | "deny" | "transform" | "ask";
  readonly reason: string;
  /** What goes on instead of the input. Always there with `transform`, though it may be empty; with `ask` when someone transformed. */
  readonly output?: JsonValue;
  /** The handler whose word counted, or "none". */
  readonly decidedBy: string;
  /** What agents are to know, by handler. */
  readonly context?: readonly HookContext[];
}
