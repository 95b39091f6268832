import type { Command } from "#core/commands";
import { ok, type Result, type SessionId } from "#core/values";
import type { EventKinds } from "#log";
import { sessionOrLast } from "#log";
import type { FlowResult } from "../flow/execution-context.ts";
import type { RunStory } from "../story/run-story.ts";
import { exitOfResult } from "./exit-of-result.ts";
import { type SessionVerifier, verifyResult } from "./verify-result.ts";

interface Resume extends Partial<RunStory["listeners"]> {
  readonly signal: AbortSignal;
  readonly interrupt: AbortSignal;
}

interface ResumeParts {
  readonly session_id: SessionId;
  readonly runtime: SessionVerifier & {
    readonly eventKinds: EventKinds;
    resumeSession(session_id: SessionId, options: Resume): Promise<Result<FlowResult>>;
  };
}

export const sessionResume: Command<"session", ResumeParts> = {
  name: "resume",
  summary: "take up a session that was stopped: what is recorded is reused, the rest is done",
  needs: "session",
  json: "flow_result_v2",
  arguments: [sessionOrLast],
  options: {},
  examples: ["writ session resume last", "writ session resume 7qk2 --json"],
  after:
    "\nA call whose outcome is unknown and that cannot be made twice ends it with status 4: see `writ session resolve`.",
  exits: { 4: "a call's outcome is unknown and it cannot be made twice, or it waits for a person" },
  run: async ({ session_id, runtime }, invocation) => {
    const { context, json } = invocation;
    const { runStory } = await import("../story/run-story.ts");
    const story = json ? undefined : runStory(invocation, {}, runtime.eventKinds);
    const { signal } = context;
    const resumed = await runtime.resumeSession(session_id, { signal, interrupt: signal, ...story?.listeners });
    if (!resumed.ok) return resumed;
    const result = resumed.value;
    if (story) story.end(result, await verifyResult(runtime, result));
    return ok({ json: result, exit: exitOfResult(result, context.signal) });
  },
};
