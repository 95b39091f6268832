import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Answer, type Command, flag, type Invocation, text, writeDocument } from "#core/commands";
import type { SchemaRegistry } from "#core/contracts";
import { codeOfError, domainError, messageOf } from "#core/errors";
import { count, liveLine, shellWord } from "#core/terminal";
import { err, isoTime, ok, type Result, type SessionId } from "#core/values";
import type { LogReader } from "#log";
import { type SelectedSession, sessionOrLast } from "#log";
import type { ProofSources } from "../export/session-proof.ts";
import { readCheckpoint } from "./checkpoint-file.ts";

interface ExportRecords extends Pick<ProofSources, "root" | "key"> {
  readonly reader: LogReader;
  readonly schemas: SchemaRegistry;
}

interface ExportOptions {
  readonly out?: string;
  readonly bundle?: boolean;
  readonly since?: string;
}

export const sessionExport: Command<"recorded session", SelectedSession<ExportRecords>, ExportOptions> = {
  name: "export",
  summary: "copy a session's files, byte for byte, with the proof that they are anchored",
  needs: "recorded session",
  json: "session_id, folder and files; with --bundle session_id, file, bytes and anchored; with --out - nothing",
  arguments: [sessionOrLast],
  options: {
    out: text(
      "dir",
      "the folder to make (default: one named after the session, in the current folder); - prints the events",
    ),
    bundle: flag("one file instead: a page that holds the record and proves it in any browser, offline"),
    since: text("file", "a checkpoint that the receiver kept: the proof then leads from there to this session"),
  },
  examples: [
    "writ session export last --bundle --out proof.html",
    "writ session export last --bundle --since checkpoint-monday.json",
    "writ session export last --out ~/audit/greeting",
    "writ session export 7qk2 --out - | sha256sum",
  ],
  after: "\nIt is proved without the workspace: writ session verify --file PATH",
  exits: null,
  run: async ({ session_id, records }, invocation) => {
    const progress = progressOf(invocation);
    try {
      return await (invocation.options.bundle
        ? toBundle(session_id, records, invocation, progress)
        : invocation.options.out === "-"
          ? toOutput(session_id, records, invocation, progress)
          : toFolder(session_id, records, invocation, progress));
    } finally {
      progress.end();
    }
  },
};

/** How much was written, and on a terminal a line that says so: 820 MB took 10 s. Not between the lines that are printed there. */
interface CopyProgress {
  readonly bytes: number;
  copied(text: string): void;
  end(): void;
}

function progressOf({ context, options, json }: Invocation<ExportOptions>): CopyProgress {
  const isInTheWay = json || (options.out === "-" && context.stdout.isTTY);
  const line = liveLine(context.stderr, context, !isInTheWay);
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    copied: (text) => {
      bytes += Buffer.byteLength(text);
      line.show((elapsed) => `copied ${count(bytes)} bytes, ${count(bytes / (elapsed / 1000))} a second`);
    },
    end: line.end,
  };
}

/** The records as the proof of a session that is handed on wants them. */
async function proofSources(
  { reader, root, key, schemas }: ExportRecords,
  { context, options }: Invocation<ExportOptions>,
): Promise<Result<ProofSources>> {
  if (options.since === undefined) return ok({ reader, root, key });
  const since = await readCheckpoint(resolve(context.cwd, options.since), schemas);
  return since.ok ? ok({ reader, root, key, since: since.value }) : since;
}

async function toBundle(
  session_id: SessionId,
  records: ExportRecords,
  invocation: Invocation<ExportOptions>,
  progress: CopyProgress,
): Promise<Result<Answer>> {
  const { context, options } = invocation;
  const found = await proofSources(records, invocation);
  if (!found.ok) return found;
  const { writeBundle } = await import("../bundle/write-bundle.ts");
  const sources = { ...found.value, version: context.version, now: isoTime(context.clock.now()) };
  if (options.out === "-") {
    const written = await writeBundle(session_id, sources, (text) => {
      writeDocument(context.stdout, text);
      progress.copied(text);
      return context.stdout.drained?.();
    });
    return written.ok ? ok({}) : written;
  }
  const file = resolve(context.cwd, options.out ?? `${session_id}.html`);
  try {
    const fd = openSync(file, "wx"); // never over something that is there
    let written: Awaited<ReturnType<typeof writeBundle>> | undefined;
    try {
      written = await writeBundle(session_id, sources, (text) => {
        writeFileSync(fd, text);
        progress.copied(text);
      });
    } finally {
      closeSync(fd);
      if (!written?.ok) rmSync(file, { force: true });
    }
    if (!written.ok) return written;
    const { bytes } = progress;
    return ok({
      json: { session_id, file, bytes, anchored: written.value.isAnchored },
      text: (screen) =>
        `${screen.green(screen.sign.ok)} ${session_id} ${screen.sign.arrow} ${file} ${screen.dim(`(${count(bytes)} bytes)`)}\n${howToProve(file, bytes)}`,
    });
  } catch (thrown) {
    return err(
      domainError("MALFORMED_INPUT", `the bundle cannot be written to ${file}: ${messageOf(thrown)}`, {
        details: { hint: "name another file with --out; nothing is written over" },
        cause: thrown,
      }),
    );
  }
}

/** What a browser still opens: its texts end at half a gibibyte, and such a page needs several times its size. */
const mostForBrowsers = 256 * 1024 * 1024;

function howToProve(file: string, bytes: number): string {
  const command = `writ session verify --file ${shellWord(file)}`;
  return bytes > mostForBrowsers
    ? `  too long for most browsers; prove it anywhere: ${command}\n`
    : `  open it in any browser: it proves itself, offline; or: ${command}\n`;
}

async function toOutput(
  session_id: SessionId,
  { reader }: ExportRecords,
  { context, options }: Invocation<ExportOptions>,
  progress: CopyProgress,
): Promise<Result<Answer>> {
  if (options.since !== undefined)
    return err(
      domainError("MALFORMED_INPUT", "--out - prints the events alone, and --since is about their proof", {
        details: { hint: "leave one of them out, or print a page: --bundle --out -" },
      }),
    );
  const { exportSession } = await import("../export/export-session.ts");
  const silent = { write: () => undefined, end: () => undefined };
  const write = (text: string) => {
    writeDocument(context.stdout, text);
    progress.copied(text);
    return context.stdout.drained?.();
  };
  const events = { write, end: () => undefined };
  const written = await exportSession(session_id, reader, {
    open: (name) => (name === ".events.jsonl" ? events : silent),
  });
  return written.ok ? ok({}) : written;
}

async function toFolder(
  session_id: SessionId,
  records: ExportRecords,
  invocation: Invocation<ExportOptions>,
  progress: CopyProgress,
): Promise<Result<Answer>> {
  const { context, options } = invocation;
  const { exportSession } = await import("../export/export-session.ts");
  const { sessionProof } = await import("../export/session-proof.ts");
  const sources = await proofSources(records, invocation);
  if (!sources.ok) return sources;
  const folder = resolve(context.cwd, options.out ?? session_id);
  const open = (name: string) => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    const fd = openSync(file, "wx"); // never over something that is there
    const write = (text: string) => {
      writeFileSync(fd, text);
      progress.copied(text);
    };
    return { write, end: () => closeSync(fd) };
  };
  try {
    const proof = await sessionProof(session_id, sources.value);
    if (!proof.ok) return proof;
    const written = await exportSession(session_id, records.reader, { open }, proof.value);
    if (!written.ok) return written;
    const files = written.value;
    return ok({
      json: { session_id, folder, files },
      text: (screen) =>
        `${screen.green(screen.sign.ok)} ${session_id} ${screen.sign.arrow} ${folder}\n${files.map(({ name, bytes, sha256 }) => `  ${name.padEnd(22)} ${count(bytes).padStart(10)} bytes  ${screen.dim(sha256.slice(0, 16))}\n`).join("")}  prove it anywhere: writ session verify --file ${shellWord(folder)}\n`,
    });
  } catch (thrown) {
    const isThere = codeOfError(thrown) === "EEXIST";
    const hint = isThere
      ? "name another folder with --out; nothing is written over"
      : "name a folder that can be written with --out";
    return err(
      domainError("MALFORMED_INPUT", `the session cannot be exported to ${folder}: ${messageOf(thrown)}`, {
        details: { hint },
        cause: thrown,
      }),
    );
  }
}
