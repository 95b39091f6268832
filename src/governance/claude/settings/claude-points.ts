import type { EventPayloads } from "#core/contracts";

type HookPoint = EventPayloads["hook.fired"]["point"];

/** What Writ does with the hooks of one event of Claude Code. */
export interface ClaudePoint {
  /** The point at which they are asked; null: nowhere. */
  readonly at: HookPoint | null;
  /** Whether one that cannot be asked denies: its answer decides what happens. */
  readonly gates: boolean;
  /** What its matcher is compared with: the tool, the skill, a field of the event, or nothing. */
  readonly matches: "tool" | "skill" | "source" | "trigger" | "server" | null;
  /** In words that go on from "asked at SessionStart: " or "not asked: ". */
  readonly how: string;
}

const observed = (how: string): ClaudePoint => ({ at: null, gates: false, matches: null, how });

/** Every event that Claude Code documents. One that is not here is refused where it is written. */
export const claudePoints: Readonly<Record<string, ClaudePoint>> = {
  SessionStart: {
    at: "SessionStart",
    gates: false,
    matches: "source",
    how: "its text is context of all agents of the order",
  },
  Setup: observed("`writ init` and scripts prepare a workspace"),
  UserPromptSubmit: {
    at: "UserPromptSubmit",
    gates: true,
    matches: null,
    how: "its text is context of all agents of the order",
  },
  UserPromptExpansion: {
    at: "SkillStart",
    gates: true,
    matches: "skill",
    how: "commands are skills here; every skill that starts is asked about. Its text is recorded, and reaches no agent",
  },
  PreToolUse: { at: "PreToolUse", gates: true, matches: "tool", how: "before each call" },
  PermissionRequest: {
    at: "PreToolUse",
    gates: true,
    matches: "tool",
    how: "before each call, asked about or not; it may refuse, and what it allows still needs the person whom a rule wants asked",
  },
  PermissionDenied: observed("there is no classifier whose refusals it could hear of"),
  PostToolUse: { at: "PostToolUse", gates: false, matches: "tool", how: "after a call that succeeded" },
  PostToolUseFailure: { at: "PostToolUse", gates: false, matches: "tool", how: "after a call that failed" },
  PostToolBatch: { at: "PostToolUse", gates: true, matches: null, how: "after each call, as a batch of one" },
  Notification: observed("the inbox and `writ up` tell people what waits"),
  MessageDisplay: observed("it changes what a screen shows, not what happens"),
  SubagentStart: {
    at: "SessionStart",
    gates: false,
    matches: null,
    how: "of an order that another handed down; its text is context of that order's agents",
  },
  SubagentStop: { at: "Stop", gates: false, matches: null, how: "when the work of such an order could end" },
  TaskCreated: observed("there are no teams with lists of tasks"),
  TaskCompleted: observed("there are no teams with lists of tasks"),
  Stop: {
    at: "Stop",
    gates: false,
    matches: null,
    how: "when the work of an order could end; what blocks is what its agent has left to do, eight times at most",
  },
  StopFailure: observed("the record and the exit status tell of failures"),
  TeammateIdle: observed("there are no teams"),
  InstructionsLoaded: observed("the record lists the rules that agents follow"),
  ConfigChange: observed("a session keeps the configuration that it began with"),
  CwdChanged: observed("calls name their folder; none changes it"),
  DirectoryAdded: observed("agents act in the workspace alone"),
  FileChanged: observed("files are not watched"),
  WorktreeCreate: observed("no worktree is made; what an order writes waits in a layer"),
  WorktreeRemove: observed("no worktree is made"),
  PreCompact: { at: "PreCompact", gates: true, matches: "trigger", how: "before a conversation is shortened" },
  PostCompact: observed("the record has what was shortened"),
  PreModelSwitch: observed("an order keeps the models that it names"),
  PostModelSwitch: observed("an order keeps the models that it names"),
  Elicitation: {
    at: "Elicitation",
    gates: true,
    matches: "server",
    how: "before a person is asked what an MCP server wants to know; it may answer or decline in the person's place",
  },
  ElicitationResult: {
    at: "ElicitationResult",
    gates: true,
    matches: "server",
    how: "before an answer goes to the server; it may change or decline it",
  },
  SessionEnd: observed("the record ends with session.close"),
};
