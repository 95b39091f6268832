import { resolve } from "node:path";
import type { Answer, Invocation } from "#core/commands";
import { type Command, flag, type Opens, optional, statusOfAbort, text, texts } from "#core/commands";
import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { sameWorkspace } from "#core/terminal";
import { err, isSessionId, ok, type Result, type SessionId } from "#core/values";
import { resolveSession, type SessionPlace } from "#log";
import type { SessionAudits } from "../verify/verify-session.ts";
import type { verifyAll } from "../verify/verify-workspace.ts";
import { readCheckpoint } from "./checkpoint-file.ts";
import { progressLine } from "./progress-line.ts";
import { type FileOptions, verifyFile } from "./verify-file.ts";

type VerifyRecords = Parameters<typeof verifyAll>[0] & SessionPlace & { readonly schemas: SchemaRegistry };

interface VerifyOptions extends FileOptions {
  readonly all?: boolean;
}

interface Choice {
  readonly proof: Opens<VerifyRecords>;
  /** What places to the right check of a record, for one that has no workspace. */
  readonly audits: () => Promise<SessionAudits>;
}

const about = `A workspace proves its sessions by its own anchors. Without one, name a file instead: no workspace is needed
then, nothing is written, and no person is asked. How much is proved depends on what is at hand:

  the events alone        no byte changed, nothing left out in the middle, no gaps in a closed session
  a folder, a bundle      also: the ledgers, and that the end was not cut off (anchors)
  and --key               also: the root over the session was signed by that key
  and --checkpoint        also: it was not written anew after the checkpoint was made, not even with the key

What you bring must be met: a record that does not lead to the key or the checkpoint does not pass.
Exit status: 0 everything at hand holds, 1 something does not, 2 the file is no exported session.`;

export const sessionVerify: Command<"choice", Choice, VerifyOptions> = {
  name: "verify",
  summary: "prove that nothing was changed, cut, added or lost since it was written",
  needs: "choice",
  json: "ok, session_id, closed, events, head_hash, violations and notes; with --all also sessions and anchors",
  arguments: [optional("session", "id, short id, or last")],
  options: {
    all: flag("every session, and that none is missing"),
    checkpoint: text("file", "also against a checkpoint kept elsewhere (writ anchor checkpoint)"),
    file: text(
      "path",
      "what `writ session export` made, without its workspace: the folder, the events, or the page of --bundle, also as gzip; - reads standard input",
    ),
    key: texts("file", "with --file: the public key that must have signed, had from its owner by another way"),
    proof: texts("file", "with --file: what `writ anchor prove` printed, if the file does not hold it"),
  },
  about,
  examples: [
    "writ session verify last",
    "writ session verify --all",
    "writ session verify --all --checkpoint ~/kept/checkpoint.json",
    "writ session verify --file proof.html --checkpoint ~/kept/checkpoint.json",
    "writ session verify --file export/ --key signing.pub.pem",
    "ssh ada@host writ session export last --out - | writ session verify --file -",
  ],
  exits: { 0: "everything at hand holds", 1: "something does not", 2: "the file is no exported session" },
  run: async (opens, invocation) => {
    const { file, key, proof } = invocation.options;
    if (file !== undefined) return verifyFile(invocation, file, await opens.audits());
    const alone = key ? "--key" : proof ? "--proof" : undefined;
    return alone === undefined ? opens.proof((records) => verify(invocation, records)) : err(needsFile(alone));
  },
};

function needsFile(option: string) {
  return domainError(
    "MALFORMED_INPUT",
    `${option} goes with --file: a workspace is verified by its own key and anchors`,
    {
      details: { hint: "writ session verify --file PATH, or leave it out" },
    },
  );
}

async function verify(invocation: Invocation<VerifyOptions>, records: VerifyRecords): Promise<Result<Answer>> {
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
      : await readCheckpoint(resolve(context.cwd, options.checkpoint), records.schemas);
  if (!checkpoint.ok) return checkpoint;
  const { verifyAll, verifyOne } = await import("../verify/verify-workspace.ts");
  const { allText, oneText } = await import("./verify-text.ts");
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
