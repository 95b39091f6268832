import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import type { CaseResult, Piece } from "./play-cases.ts";

/** The pieces of a long run, kept as they are played: an interrupted run goes on behind the last whole one. */
export class RunFile {
  readonly #path: string;
  readonly #results = new Map<string, Map<string, CaseResult>>();
  readonly #records = new Map<string, { sessions: number; green: number }>();

  /** With `goesOn`, what an interrupted run of the same arguments left counts; else it begins anew. */
  constructor(path: string, { goesOn }: { readonly goesOn: boolean }) {
    this.#path = path;
    if (!goesOn || !existsSync(path)) {
      writeFileSync(path, "");
      return;
    }
    const lines = readFileSync(path, "utf8").split("\n");
    const whole = lines.slice(0, -1);
    // A line without its end was being written when the run was interrupted.
    writeFileSync(path, whole.map((line) => `${line}\n`).join(""));
    for (const line of whole) this.#take(JSON.parse(line) as Piece & { readonly part: string });
  }

  /** Results of a part by the names of its cases. */
  resultsOf(part: string): ReadonlyMap<string, CaseResult> {
    return this.#results.get(part) ?? new Map();
  }

  recordsOf(part: string): { readonly sessions: number; readonly green: number } {
    return this.#records.get(part) ?? { sessions: 0, green: 0 };
  }

  add(part: string, piece: Piece): void {
    appendFileSync(this.#path, `${JSON.stringify({ part, ...piece })}\n`);
    this.#take({ part, ...piece });
  }

  #take({ part, results, records }: Piece & { readonly part: string }): void {
    const of = this.#results.get(part) ?? new Map<string, CaseResult>();
    for (const each of results) of.set(each.id, each);
    this.#results.set(part, of);
    const { sessions, green } = this.recordsOf(part);
    this.#records.set(part, { sessions: sessions + records.sessions, green: green + records.green });
  }
}
