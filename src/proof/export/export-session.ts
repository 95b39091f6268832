import { createHash } from "node:crypto";
import { shippedRegistry } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result, type SessionId, type Sha256 } from "#core/values";
import type { LogReader, RawLine } from "#log";
import { linkAmongRecords, linkRefused, readSnapshot, replay, snapshotText } from "#log";
import type { Proof } from "../anchors/proof.ts";

/** One file of an exported session. */
export interface ExportedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: Sha256;
}

/** Where an export goes: `open` begins a file and gives what takes its text, and is waited for. */
export interface ExportTarget {
  open(name: string): ExportFile;
}

interface ExportFile {
  write(text: string): unknown;
  end(): unknown;
}

/**
 * The session's files byte for byte, with what still lies in a journal in its place, and behind them what vouches for them.
 * Nothing is judged here: what is exported can be verified anywhere, and a damaged session can be handed on as it is.
 */
export async function exportSession(
  session_id: SessionId,
  reader: Pick<LogReader, "readLines" | "readLedger" | "readBatches" | "locate">,
  target: ExportTarget,
  proof: Proof | null = null,
): Promise<Result<readonly ExportedFile[]>> {
  const place = await reader.locate(session_id);
  if (!place.ok) return place;
  const link = linkAmongRecords(place.value.folder);
  if (link !== undefined) return err(linkRefused(link));
  const files: ExportedFile[] = [];
  for (const [name, lines] of [
    [".events.jsonl", reader.readLines(session_id)],
    ["ledger/exec.jsonl", reader.readLedger(session_id, "exec")],
    ["ledger/evidence.jsonl", reader.readLedger(session_id, "evidence")],
  ] as const) {
    const written = await copyLines(session_id, name, lines, target);
    if (!written.ok) return written;
    files.push(written.value);
  }
  const text = readSnapshot(place.value.folder) || (await foldedAnew(session_id, reader));
  if (text !== undefined) files.push(await copyText("snapshot.json", text, target));
  if (proof) files.push(await copyText("proof.json", `${JSON.stringify(proof, null, 2)}\n`, target));
  return ok(files);
}

/** Another machine closed it and has the file: what the events say is the same. One that is open has none. */
async function foldedAnew(session_id: SessionId, reader: Pick<LogReader, "readBatches">): Promise<string | undefined> {
  const snapshot = await replay(session_id, { reader, schemas: shippedRegistry(), verify: false });
  return snapshot.ok && snapshot.value.closed ? snapshotText(snapshot.value) : undefined;
}

async function copyLines(
  session_id: SessionId,
  name: string,
  portions: AsyncIterable<Result<readonly RawLine[]>>,
  target: ExportTarget,
): Promise<Result<ExportedFile>> {
  const file = target.open(name);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const portion of portions) {
      if (!portion.ok) return portion;
      let text = "";
      for (const line of portion.value) {
        if (line.fault === "not_utf8") return err(damaged(session_id, name, line.number));
        text += line.fault === "torn" ? line.text : `${line.text}\n`;
      }
      await file.write(text);
      hash.update(text);
      bytes += Buffer.byteLength(text);
    }
  } finally {
    await file.end();
  }
  return ok({ name, bytes, sha256: hash.digest("hex") });
}

async function copyText(name: string, text: string, target: ExportTarget): Promise<ExportedFile> {
  const file = target.open(name);
  await file.write(text);
  await file.end();
  return { name, bytes: Buffer.byteLength(text), sha256: createHash("sha256").update(text).digest("hex") };
}

function damaged(session_id: SessionId, name: string, line: number): DomainError {
  return domainError(
    "LEDGER_CORRUPT",
    `${session_id}, ${name}, line ${line}: the line is not UTF-8 and cannot be exported as text; copy the file itself`,
    {
      details: { session_id, line, hint: `writ session verify ${session_id} says more` },
    },
  );
}
