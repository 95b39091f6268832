import { lstatSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { domainError } from "#core/errors";
import { readingFailure } from "#core/machine";
import { err, isSessionId, type JsonValue, ok, parseJson, type Result, type SessionId } from "#core/values";
import type { LogReader } from "#log";
import { firstLink, linkRefused, parseLine, rawLines } from "#log";
import type { VerifyOptions } from "../verify/verify-session.ts";
import { BundleReader } from "./bundle-reader.ts";
import type { ByteCursor } from "./byte-cursor.ts";
import { exportedLines, maxLineBytes } from "./exported-lines.ts";
import { absentLedger, LaterLedger } from "./later-ledger.ts";
import { openFile, unpacked } from "./open-bytes.ts";

/** Where an exported record is: a path, or bytes that are handed in. */
export type ExportedSource = { readonly path: string } | { readonly input: AsyncIterable<Uint8Array> };

interface Readable extends Pick<VerifyOptions, "reader" | "ledgers" | "snapshot"> {
  readonly session_id: SessionId;
  close(): Promise<void>;
}

/** What was handed over, by its form: the events alone, the folder that an export makes, or the page that proves itself. */
export type ExportedRecord =
  | (Readable & { readonly form: "events" })
  | (Readable & { readonly form: "folder"; readonly proof: JsonValue })
  | (Readable & { readonly form: "bundle"; readonly end: BundleReader["end"] });

/** Recognises by content, never by name. What is no record at all is unreadable input; a damaged record is still one. */
export async function openExported(source: ExportedSource): Promise<Result<ExportedRecord>> {
  if ("input" in source) return recognise(await unpacked(source.input), "standard input");
  const { path } = source;
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return await openFolder(path);
    const cursor = await openFile(path);
    return cursor.ok ? await recognise(cursor.value, path) : cursor;
  } catch (thrown) {
    return readingFailure(path, thrown);
  }
}

async function recognise(cursor: ByteCursor, where: string): Promise<Result<ExportedRecord>> {
  const recognised = await formOf(cursor, where);
  if (!recognised.ok) await cursor.stop();
  return recognised;
}

async function formOf(cursor: ByteCursor, where: string): Promise<Result<ExportedRecord>> {
  const close = () => cursor.stop();
  await cursor.reach(1);
  if (cursor.pending.length === 0) return err(nothingThere(where, cursor.failure));
  if (cursor.pending[0] === 0x3c) {
    const bundle = await BundleReader.open(cursor);
    if (!bundle) return err(somethingElse(where, "a page without a record"));
    if (!bundle.ok) return err({ ...bundle.error, message: `${where}: ${bundle.error.message}` });
    const reader = bundle.value;
    return ok({
      form: "bundle",
      session_id: reader.session_id,
      reader: { readLines: () => rawLines(reader.lines("events") ?? none()), readLedger: () => none() },
      ledgers: { exec: ledgerIn(reader, "exec"), evidence: ledgerIn(reader, "evidence") },
      end: () => reader.end(),
      close,
    });
  }
  const session_id = await sessionOf(cursor);
  if (session_id === undefined) return err(somethingElse(where, kindOf(cursor.pending)));
  return ok({
    form: "events",
    session_id,
    reader: { readLines: () => rawLines(exportedLines(cursor)), readLedger: () => none() },
    ledgers: { exec: absentLedger, evidence: absentLedger },
    close,
  });
}

function ledgerIn(reader: BundleReader, name: "exec" | "evidence"): LaterLedger {
  return new LaterLedger(name, () => {
    const lines = reader.lines(name);
    return lines && rawLines(lines);
  });
}

const eventsName = ".events.jsonl";
const besides = ["ledger/exec.jsonl", "ledger/evidence.jsonl", "snapshot.json", "proof.json"];
const proofBytes = 1024 * 1024;
const snapshotBytes = 64 * 1024 * 1024;

async function openFolder(folder: string): Promise<Result<ExportedRecord>> {
  if (!lstatSync(join(folder, eventsName), { throwIfNoEntry: false }))
    return err(
      domainError("MALFORMED_INPUT", `${folder} is a folder without a session in it`, {
        details: { where: folder, hint: "name the folder that `writ session export` made: it holds .events.jsonl" },
      }),
    );
  // A symlink in a folder from elsewhere could point at a file of the verifier's machine.
  for (const name of [eventsName, ...besides]) {
    const link = firstLink(folder, join(folder, name));
    if (link !== undefined) return err(linkRefused(link));
  }
  const first = await openFile(join(folder, eventsName));
  if (!first.ok) return first;
  await first.value.reach(1);
  const session_id = await sessionOf(first.value);
  const { pending, failure } = first.value;
  await first.value.stop();
  if (session_id === undefined)
    return err(
      pending.length === 0
        ? nothingThere(join(folder, eventsName), failure)
        : somethingElse(join(folder, eventsName), kindOf(pending)),
    );
  const proof = await smallFile(join(folder, "proof.json"), proofBytes);
  if (!proof.ok) return proof;
  const parsed = proof.value === undefined ? ok(null) : parseJson(proof.value);
  const snapshot = await smallFile(join(folder, "snapshot.json"), snapshotBytes);
  if (!snapshot.ok) return snapshot;
  const reader: Readable["reader"] = {
    readLines: () => linesOfFile(join(folder, eventsName)),
    readLedger: (_, ledger) => linesOfFile(join(folder, `ledger/${ledger}.jsonl`)),
  };
  return ok({
    form: "folder",
    session_id,
    reader,
    ...(snapshot.value === undefined ? {} : { snapshot: snapshot.value }),
    proof: parsed.ok ? parsed.value : "not JSON",
    close: () => Promise.resolve(),
  });
}

/** A missing file has no lines: what should be in it is reported as missing. */
async function* linesOfFile(path: string): ReturnType<LogReader["readLines"]> & AsyncGenerator {
  const cursor = await openFile(path);
  if (!cursor.ok) {
    if (cursor.error.code !== "NOT_FOUND") yield cursor;
    return;
  }
  try {
    yield* rawLines(exportedLines(cursor.value));
  } finally {
    await cursor.value.stop();
  }
}

async function smallFile(path: string, maxBytes: number): Promise<Result<string | undefined>> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return ok(undefined);
  if (!found.isFile() || found.size > maxBytes)
    return err(
      domainError("MALFORMED_INPUT", `${path} is no file of at most ${maxBytes} bytes`, { details: { where: path } }),
    );
  return ok(await readFile(path, "utf8"));
}

const headBytes = 1024 * 1024;
const named = /"session_id":"(SES-[0-9a-z-]{1,64})","ts":"/;

/** The session that the first event names; of a first event that is damaged, as far as it can be made out. */
async function sessionOf(cursor: ByteCursor): Promise<SessionId | undefined> {
  const limit = cursor.pending.subarray(0, 9).equals(Buffer.from('{"actor":').subarray(0, cursor.pending.length))
    ? maxLineBytes
    : headBytes;
  while (!cursor.pending.includes(10) && cursor.pending.length < limit && (await cursor.more()));
  const end = cursor.pending.indexOf(10);
  const first = parseLine(cursor.pending.toString("utf8", 0, end < 0 ? Math.min(cursor.pending.length, limit) : end));
  if (first.ok && isSessionId(first.value.session_id)) return first.value.session_id;
  const guess = named.exec(cursor.pending.toString("latin1", 0, limit))?.[1] ?? "";
  return isSessionId(guess) ? guess : undefined;
}

async function* none(): AsyncGenerator<never> {
  // nothing of that kind is in the record
}

function kindOf(bytes: Buffer): string {
  if (bytes.subarray(0, 2).toString("latin1") === "PK") return "a zip archive: unpack it first";
  if (bytes.subarray(257, 262).toString("latin1") === "ustar") return "a tar archive: unpack it first";
  return "something else";
}

function nothingThere(where: string, failure: string | undefined) {
  const why = failure === undefined ? "is empty" : `cannot be read: ${failure}`;
  return domainError("MALFORMED_INPUT", `${where} ${why}; an exported session is expected there`, {
    details: { where },
  });
}

function somethingElse(where: string, what: string) {
  return domainError("MALFORMED_INPUT", `${where} is no exported session: it is ${what}`, {
    details: {
      where,
      hint: "name what `writ session export` made: its folder, its .events.jsonl, or the page of --bundle",
    },
  });
}
