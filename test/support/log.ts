import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { shippedRegistry } from "#core/contracts";
import {
  createIds,
  type JsonValue,
  type Result,
  type SessionId,
  systemClock,
  systemRandom,
  zeroHash,
} from "#core/values";
import { type Event, type EventInput, JsonlLog, type LogReader } from "#log";
import { type JsonlLogOptions } from "../../src/log/jsonl/options.ts";

/** A folder that is gone after the test. */
export function temporaryFolder(name = "writ-log-"): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A log with the real disk and clock; it is shut down after the test unless the test did so. */
export function testLog(root: string, options: Partial<JsonlLogOptions> = {}): JsonlLog {
  const log = new JsonlLog({
    root,
    schemas: shippedRegistry(),
    redactor: { redactJson: (value) => ({ value }) },
    clock: systemClock,
    ids: createIds(systemClock, systemRandom),
    ...options,
  });
  onTestFinished(async () => {
    await log.shutdown();
  });
  return log;
}

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

export const start: EventInput<"session.start"> = {
  type: "session.start",
  actor: "flow",
  payload: { tier: "ho1", work_order_id: "WO-20261115-001" },
};

/** An event with any content, which leaves nothing in the ledgers. */
export function output(content: JsonValue): EventInput<"tool.output"> {
  const payload = {
    call_id: "c1",
    name: "t",
    shown: true,
    is_error: false,
    trust: "untrusted",
    content,
    content_hash: zeroHash,
  };
  return { type: "tool.output", actor: "tools", payload } as EventInput<"tool.output">;
}

/** An event that leaves an entry in L-EXEC. */
export function halted(reason: string): EventInput<"session.halted"> {
  return { type: "session.halted", actor: "operator", payload: { by: "operator", reason } };
}

export async function readAll(log: LogReader, session_id: SessionId, from?: number): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of log.read(session_id, from === undefined ? {} : { from })) events.push(value(event));
  return events;
}

export async function ledgerTexts(
  log: LogReader,
  session_id: SessionId,
  ledger: "exec" | "evidence",
): Promise<string[]> {
  const texts: string[] = [];
  for await (const lines of log.readLedger(session_id, ledger)) texts.push(...value(lines).map(({ text }) => text));
  return texts;
}
