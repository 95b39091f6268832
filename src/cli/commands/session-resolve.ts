import type { Command } from "commander";
import { domainError, err, ok, parseJson, type Result } from "#base";
import type { Resolution } from "#compose";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { shortId } from "../session/resolve-session.ts";
import { withSessionToActOn } from "../session/with-session-to-act-on.ts";

interface ResolveOptions {
  readonly done?: boolean;
  readonly notDone?: boolean;
  readonly result?: string;
}

export function addResolve(session: Command, context: CliContext): void {
  session
    .command("resolve")
    .description("say what became of a call in doubt, so that its session can go on")
    .argument("<session>", "id, short id, or last")
    .argument("<call>", "the call's id")
    .option("--done", "it took effect; it is not made again")
    .option("--result <json>", "what it answered, with --done")
    .option("--not-done", "it took no effect; it is made again under the same key")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ session resolve 7qk2 call_1 --done --result '{\"exit_code\": 0}'\n  $ writ session resolve last call_1 --not-done\n",
    )
    .action(
      act<ResolveOptions>(context, (invocation) =>
        withSessionToActOn(invocation, async (session_id, runtime) => {
          const resolution = resolutionOf(invocation.options);
          if (!resolution.ok) return resolution;
          const call_id = invocation.arguments[1] ?? "";
          const recorded = await runtime.resolveCall(session_id, call_id, resolution.value);
          if (!recorded.ok) return recorded;
          const { payload, seq } = recorded.value;
          return ok({
            json: { session_id, seq, ...payload },
            text: () =>
              `${call_id} of ${payload.name ?? "its tool"} was ${payload.outcome === "done" ? "done" : "not done"}, says ${payload.by}\ngo on: writ session resume ${shortId(session_id)}\n`,
          });
        }),
      ),
    );
}

function resolutionOf({ done, notDone, result }: ResolveOptions): Result<Resolution> {
  if (done === notDone)
    return err(domainError("MALFORMED_INPUT", "say one of --done and --not-done: which of the two it was, you know"));
  if (notDone) {
    if (result !== undefined)
      return err(
        domainError("MALFORMED_INPUT", "--result goes with --done: a call that took no effect answered nothing"),
      );
    return ok({ outcome: "not_done" });
  }
  if (result === undefined) return ok({ outcome: "done" });
  const parsed = parseJson(result);
  if (!parsed.ok) return err(domainError("MALFORMED_INPUT", `--result is not JSON: ${parsed.error.message}`));
  return ok({ outcome: "done", result: parsed.value });
}
