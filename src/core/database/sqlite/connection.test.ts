import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { openSqlite } from "./connection.ts";

/** Holds the lock that the change to WAL needs, and releases it 50 ms after the flag is set. */
const holder = `
  const { parentPort, workerData } = require("node:worker_threads");
  const Database = require("better-sqlite3");
  const database = new Database(workerData.file);
  database.exec("BEGIN IMMEDIATE");
  const flag = new Int32Array(workerData.flag);
  parentPort.postMessage("held");
  Atomics.wait(flag, 0, 0);
  Atomics.wait(flag, 0, 1, 50);
  database.close();`;

test("opening waits for another process that is creating the same database", async () => {
  const folder = mkdtempSync(join(tmpdir(), "writ-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "new.db");
  const flag = new SharedArrayBuffer(4);
  const other = new Worker(holder, { eval: true, workerData: { file, flag } });
  const ended = new Promise((resolve) => other.once("exit", resolve));
  await new Promise((resolve) => other.once("message", resolve));
  Atomics.store(new Int32Array(flag), 0, 1);
  Atomics.notify(new Int32Array(flag), 0);
  const opened = openSqlite(file);
  expect(opened.ok ? opened.value.pragma("journal_mode", { simple: true }) : opened.error.message).toBe("wal");
  if (opened.ok) opened.value.close();
  expect(await ended).toBe(0);
});

test("a database that stays locked is an error within the given time", () => {
  const folder = mkdtempSync(join(tmpdir(), "writ-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const first = openSqlite(join(folder, "locked.db"));
  if (!first.ok) throw new Error(first.error.message);
  onTestFinished(() => void first.value.close());
  first.value.pragma("journal_mode = DELETE");
  first.value.exec("BEGIN IMMEDIATE");
  const second = openSqlite(join(folder, "locked.db"), { busyTimeoutMs: 20 });
  expect(second.ok ? "opened" : second.error.code).toBe("STORE_UNAVAILABLE");
});
