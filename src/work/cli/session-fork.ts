import { resolve } from "node:path";
import { type Command, numberOption, requiredText, text } from "#core/commands";
import { ok, type Result, type SessionId } from "#core/values";
import type { EventKinds } from "#log";
import { namedSession } from "#log";
import type { FlowResult } from "../flow/execution-context.ts";
import type { RunStory } from "../story/run-story.ts";
import { exitOfResult } from "./exit-of-result.ts";
import { type SessionVerifier, verifyResult } from "./verify-result.ts";

interface Fork extends Partial<RunStory["listeners"]> {
  readonly at: number;
  readonly signal: AbortSignal;
  readonly profile?: string;
  readonly prompt?: string;
  readonly edit?: string;
}

interface ForkParts {
  readonly session_id: SessionId;
  readonly runtime: SessionVerifier & {
    readonly eventKinds: EventKinds;
    forkSession(session_id: SessionId, fork: Fork): Promise<Result<FlowResult>>;
  };
}

interface ForkOptions {
  readonly at: string;
  readonly profile?: string;
  readonly prompt?: string;
  readonly edit?: string;
}

export const sessionFork: Command<"session", ForkParts, ForkOptions> = {
  name: "fork",
  summary: "start a linked session from any event of another: recorded answers up to there, then live",
  needs: "session",
  json: "flow_result_v2 with parent_session_id",
  arguments: [namedSession],
  options: {
    at: requiredText("seq", "the last event that counts; `writ session events` shows the numbers"),
    profile: text("name", "the profile to go on with: another provider, another model"),
    prompt: text("text", "another request in place of the first"),
    edit: text("file", "another message in place of the one in event <seq>: an answer or a tool's output"),
  },
  examples: [
    "writ session fork last --at 12",
    "writ session fork 7qk2 --at 12 --profile careful",
    "writ session fork 7qk2 --at 31 --edit answer.json",
  ],
  exits: null,
  run: async ({ session_id, runtime }, invocation) => {
    const { context, json } = invocation;
    const { at, profile, prompt, edit } = invocation.options;
    const seq = numberOption("--at", at, { what: "the number of an event" });
    if (!seq.ok) return seq;
    const { nodeFiles } = await import("../../core/machine/node-files.ts");
    const edited = edit === undefined ? ok(undefined) : await nodeFiles.readText(resolve(context.cwd, edit));
    if (!edited.ok) return edited;
    const { leftOutBeside, runStory } = await import("../story/run-story.ts");
    const story = json ? undefined : runStory(invocation, {}, runtime.eventKinds);
    const forked = await runtime.forkSession(session_id, {
      at: seq.value,
      signal: context.signal,
      ...(profile === undefined ? {} : { profile }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(edited.value === undefined ? {} : { edit: edited.value }),
      ...(story?.listeners ?? leftOutBeside(context)),
    });
    if (!forked.ok) return forked;
    const result = forked.value;
    if (story) story.end(result, await verifyResult(runtime, result));
    return ok({ json: { ...result, parent_session_id: session_id }, exit: exitOfResult(result, context.signal) });
  },
};
