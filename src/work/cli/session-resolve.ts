import { argument, type Command, flag, text } from "#core/commands";
import { domainError } from "#core/errors";
import { err, ok, parseJson, type Result, type SessionId } from "#core/values";
import type { Event } from "#log";
import { namedSession, shortId } from "#log";
import type { Resolution } from "../replay/resolution.ts";

interface ResolveParts {
  readonly session_id: SessionId;
  readonly runtime: {
    resolveCall(
      session_id: SessionId,
      call_id: string,
      resolution: Resolution,
    ): Promise<Result<Event<"effect.resolved">>>;
  };
}

interface ResolveOptions {
  readonly done?: boolean;
  readonly result?: string;
  readonly notDone?: boolean;
}

export const sessionResolve: Command<"session", ResolveParts, ResolveOptions> = {
  name: "resolve",
  summary: "say what became of a call in doubt, so that its session can go on",
  needs: "session",
  json: "session_id, seq and the payload of effect.resolved",
  arguments: [namedSession, argument("call", "the call's id")],
  options: {
    done: flag("it took effect; it is not made again"),
    result: text("json", "what it answered, with --done"),
    notDone: flag("it took no effect; it is made again under the same key"),
  },
  examples: [
    "writ session resolve 7qk2 call_1 --done --result '{\"exit_code\": 0}'",
    "writ session resolve last call_1 --not-done",
  ],
  exits: null,
  run: async ({ session_id, runtime }, { arguments: [, call_id = ""], options }) => {
    const resolution = resolutionOf(options);
    if (!resolution.ok) return resolution;
    const recorded = await runtime.resolveCall(session_id, call_id, resolution.value);
    if (!recorded.ok) return recorded;
    const { payload, seq } = recorded.value;
    return ok({
      json: { session_id, seq, ...payload },
      text: () =>
        `${call_id} of ${payload.name ?? "its tool"} was ${payload.outcome === "done" ? "done" : "not done"}, says ${payload.by}\ngo on: writ session resume ${shortId(session_id)}\n`,
    });
  },
};

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
