import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { joined } from "./joined.ts";

export interface WriterOrder {
  readonly root: string;
  readonly open?: readonly string[];
  readonly create?: number;
  readonly failpoint?: string;
  readonly hit?: number;
  readonly closing?: boolean;
  /** Never rests: its files are written by a thread. */
  readonly flood?: boolean;
}

export interface WriterOutcome {
  /** Acknowledged events: session, seq, hash. */
  readonly acks: readonly (readonly [session_id: string, seq: number, hash: string])[];
  readonly sessions: readonly string[];
  readonly recovered: readonly string[];
  readonly errors: readonly string[];
  readonly end: "killed" | "done" | "failed";
}

let script: string | undefined;

/** Runs a writing process until it ends, or until it is killed so many milliseconds after it is ready, its thread included. */
export function runWriter(order: WriterOrder, killAfterMs?: number): Promise<WriterOutcome> {
  script ??= joined(join(import.meta.dirname, "..", "recovery", "log-writer.mjs"));
  const child = spawn(process.execPath, [script, JSON.stringify(order)], { stdio: ["ignore", "pipe", "pipe"] });
  const acks: [string, number, string][] = [];
  let sessions: string[] = [];
  const recovered: string[] = [];
  const errors: string[] = [];
  let isDone = false;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [word, first = "", second = "", third = ""] = line.split(" ");
    if (word === "ack" && third.length === 64) acks.push([first, Number(second), third]);
    else if (word === "ready") sessions = line.split(" ").slice(1);
    else if (word === "recovered") recovered.push(first);
    else if (word === "error") errors.push(line);
    else if (word === "done") isDone = true;
    if (word === (order.flood ? "filing" : "ready") && killAfterMs !== undefined)
      setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  });
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line));
  return new Promise((resolve) => {
    child.on("close", (_, signal) =>
      resolve({ acks, sessions, recovered, errors, end: signal === "SIGKILL" ? "killed" : isDone ? "done" : "failed" }),
    );
  });
}
