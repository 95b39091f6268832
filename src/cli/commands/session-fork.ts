import { resolve } from "node:path";
import type { Command } from "commander";
import { ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { exitOfResult } from "../exit-of-result.ts";
import { numberOption } from "../number-option.ts";
import { withSessionToActOn } from "../session/with-session-to-act-on.ts";
import { verifyResult } from "../verify-result.ts";

interface ForkOptions {
  readonly at: string;
  readonly profile?: string;
  readonly prompt?: string;
  readonly edit?: string;
}

export function addFork(session: Command, context: CliContext): void {
  session
    .command("fork")
    .description("start a linked session from any event of another: recorded answers up to there, then live")
    .argument("<session>", "id, short id, or last")
    .requiredOption("--at <seq>", "the last event that counts; `writ session events` shows the numbers")
    .option("--profile <name>", "the profile to go on with: another provider, another model")
    .option("--prompt <text>", "another request in place of the first")
    .option("--edit <file>", "another message in place of the one in event <seq>: an answer or a tool's output")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ session fork last --at 12\n  $ writ session fork 7qk2 --at 12 --profile careful\n  $ writ session fork 7qk2 --at 31 --edit answer.json\n",
    )
    .action(
      act<ForkOptions>(context, (invocation) =>
        withSessionToActOn(invocation, async (session_id, runtime) => {
          const { at, profile, prompt, edit } = invocation.options;
          const seq = numberOption("--at", at, { what: "the number of an event" });
          if (!seq.ok) return seq;
          const { nodeFiles } = await import("#compose");
          const edited = edit === undefined ? ok(undefined) : await nodeFiles.readText(resolve(context.cwd, edit));
          if (!edited.ok) return edited;
          const { runStory } = await import("../story/run-story.ts");
          const { leftOutBeside } = await import("../story/tell-left-out.ts");
          const story = invocation.json ? undefined : runStory(invocation, {});
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
        }),
      ),
    );
}
