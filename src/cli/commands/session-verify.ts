import { resolve } from "node:path";
import type { Command } from "commander";
import { domainError, err, isSessionId, ok, type Result, type SessionId } from "#base";
import type { Records } from "#compose";
import type { Checkpoint } from "#events";
import { type Answer, act, type Invocation } from "../act.ts";
import type { CliContext } from "../context.ts";
import { statusOfAbort } from "../exit-status.ts";
import { sameWorkspace } from "../output/same-workspace.ts";
import { progressLine } from "../session/progress-line.ts";
import { resolveSession } from "../session/resolve-session.ts";
import { withRecords } from "../session/with-records.ts";

interface VerifyOptions {
  readonly all?: boolean;
  readonly checkpoint?: string;
}

export function addVerify(session: Command, context: CliContext): void {
  session
    .command("verify")
    .description("prove that nothing was changed, cut, added or lost since it was written")
    .argument("[session]", "id, short id, or last")
    .option("--all", "every session, and that none is missing")
    .option("--checkpoint <file>", "also against a checkpoint kept elsewhere (writ anchor checkpoint)")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ session verify last\n  $ writ session verify --all\n  $ writ session verify --all --checkpoint ~/kept/checkpoint.json\n",
    )
    .action(
      act<VerifyOptions>(context, (invocation) => withRecords(invocation, (records) => verify(invocation, records))),
    );
}

async function verify(invocation: Invocation<VerifyOptions>, records: Records): Promise<Result<Answer>> {
  const { context, screen, options, json } = invocation;
  const [named] = invocation.arguments;
  if ((named === undefined) === !options.all)
    return err(
      domainError(
        "MALFORMED_INPUT",
        named === undefined ? "say which session to verify" : "name a session or say --all, not both",
        { details: { hint: "writ session verify last, or writ session verify --all" } },
      ),
    );
  const checkpoint =
    options.checkpoint === undefined
      ? ok(undefined)
      : await readCheckpoint(resolve(context.cwd, options.checkpoint), records);
  if (!checkpoint.ok) return checkpoint;
  const { verifyAll, verifyOne } = await import("#events");
  const { allText, oneText } = await import("../session/verify-text.ts");
  const progress = progressLine(context.stderr, context, !json);
  const settings = {
    ...records,
    signal: context.signal,
    onProgress: progress.show,
    ...(checkpoint.value ? { checkpoint: checkpoint.value } : {}),
  };
  if (named === undefined) {
    const result = await verifyAll(settings);
    progress.end();
    const { sessions, ...rest } = result;
    const flat = [
      ...result.violations.map((violation) => ({ session_id: null as string | null, ...violation })),
      ...sessions.flatMap(({ session_id, violations }) =>
        violations.map((violation) => ({ session_id, ...violation })),
      ),
    ];
    return ok({
      json: {
        ...rest,
        ok: result.ok && result.complete,
        head_hash: result.anchors.root_hash,
        violations: flat,
        sessions,
      },
      text: () => allText(result, screen, sameWorkspace(invocation)),
      exit: result.complete ? (result.ok ? 0 : 1) : statusOfAbort(context.signal),
    });
  }
  const found = await resolveSession(named, records);
  if (!found.ok && !isSessionId(named)) return found;
  const session_id = found.ok ? found.value : (named as SessionId);
  const result = await verifyOne(session_id, settings);
  progress.end();
  const [one] = result.sessions;
  // Of what is not here only the anchor log can say that it was.
  if (!found.ok && !one?.violations.some(({ kind }) => kind === "session_missing")) return found;
  return ok({
    json: {
      ok: result.ok,
      session_id,
      closed: one?.closed,
      events: result.events,
      head_hash: one?.head_hash,
      violations: [...(one?.violations ?? []), ...result.violations],
      notes: [...(one?.notes ?? []), ...result.notes],
    },
    text: () => oneText(result, screen, sameWorkspace(invocation)),
    exit: result.ok ? 0 : 1,
  });
}

async function readCheckpoint(file: string, records: Records): Promise<Result<Checkpoint>> {
  const { nodeFiles } = await import("#compose");
  const text = await nodeFiles.readText(file);
  if (!text.ok) return err({ ...text.error, message: `the checkpoint cannot be read: ${text.error.message}` });
  const { parseCheckpoint } = await import("#events");
  const parsed = parseCheckpoint(text.value, records.schemas);
  return parsed.ok ? parsed : err({ ...parsed.error, message: `${file}: ${parsed.error.message}` });
}
