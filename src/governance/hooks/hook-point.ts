import type { EventPayloads } from "#core/contracts";
import type { JsonObject, JsonValue, Result } from "#core/values";

/** The places where policy is asked, as the contract of `hook.fired` names them. */
export type HookPoint = EventPayloads["hook.fired"]["point"];

export interface HookInput {
  /** What it is about, compared with matchers: a tool, a skill, a cycle. */
  readonly subject?: string;
  readonly payload: JsonObject;
}

/** Everything that is asked of a point. No member is optional: a point that leaves an answer out does not compile. */
export interface HookPointSpec<P extends HookPoint> {
  readonly point: P;
  /** The fields that a handler finds in its input. */
  readonly input: readonly string[];
  /** What holds when no handler has a say. */
  readonly silence: "allow" | "deny";
  /**
   * After a denial: `ends` where it is a barrier, because what comes after it is not going to happen; `goes on` where it is
   * news, so that a program which notifies is still asked.
   */
  readonly afterDenial: "ends" | "goes on";
  /** What the next handler, and then the caller, gets after a transform. An empty output is a transform like any other. */
  readonly transform: (payload: JsonObject, output: JsonValue) => Result<JsonObject>;
  /** Whether a question to a person can be kept until it is answered, and the step then still be taken or left. */
  readonly mayAsk: boolean;
  readonly claudeCode: ClaudeCodePoint;
  /** What a handler that hangs is asked about when a workspace is opened: its silence must deny. */
  readonly canary: HookInput;
}

/** How programs that are written for Claude Code see a point. */
export interface ClaudeCodePoint {
  /** Its name there; null: only Writ has it, and programs are given Writ's name. */
  readonly name: string | null;
  /** What they find beside the fields of Writ. */
  readonly fields: (payload: JsonObject) => JsonObject;
  /** Whether it is about a call of a tool, which is shown in Claude Code's own form: before it was made, or with its result. */
  readonly shows: "call" | "result" | null;
  /**
   * Plain text on stdout. `context`: the agents concerned get it as data. `ignored`: programs here only watch, and formatters and
   * notifiers print all sorts of things. `fault`: at a gate it is an answer that cannot be read.
   */
  readonly text: "context" | "ignored" | "fault";
  /** What "block" means. Where it keeps an agent from stopping, it allows the loop to go on. */
  readonly block: "deny" | "allow";
  /** The fields of `hookSpecificOutput` that belong here. */
  readonly takes: readonly ("permissionDecision" | "updatedInput" | "updatedToolOutput" | "action")[];
}
