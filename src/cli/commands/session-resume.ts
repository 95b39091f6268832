import type { Command } from "commander";
import { ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { exitOfResult } from "../exit-of-result.ts";
import { withSessionToActOn } from "../session/with-session-to-act-on.ts";
import { verifyResult } from "../verify-result.ts";

export function addResume(session: Command, context: CliContext): void {
  session
    .command("resume")
    .description("take up a session that was stopped: what is recorded is reused, the rest is done")
    .argument("[session]", "id, short id, or last", "last")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ session resume last\n  $ writ session resume 7qk2 --json\n\nA call whose outcome is unknown and that cannot be made twice ends it with status 4: see `writ session resolve`.\n",
    )
    .action(
      act(context, (invocation) =>
        withSessionToActOn(invocation, async (session_id, runtime) => {
          const { runStory } = await import("../story/run-story.ts");
          const story = invocation.json ? undefined : runStory(invocation, {});
          const resumed = await runtime.resumeSession(session_id, { signal: context.signal, ...story?.listeners });
          if (!resumed.ok) return resumed;
          const result = resumed.value;
          if (story) story.end(result, await verifyResult(runtime, result));
          return ok({ json: result, exit: exitOfResult(result, context.signal) });
        }),
      ),
    );
}
