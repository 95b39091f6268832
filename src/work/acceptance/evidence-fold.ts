import type { SchemaTypes } from "#core/contracts";
import { isJsonObject } from "#core/values";
import type { Event } from "#log";

type Evidence = SchemaTypes["evidence_v1"];
type Call = Evidence["calls"][number];
type ChangedFile = Evidence["files"][number];

const mostCalls = 100;
const mostReads = 100;
const mostPrograms = 20;
const mostTail = 2_000;
const mostReason = 400;
const mostDiff = 32 * 1024;

/** Folds the evidence of an order from its events. No agent writes any of it. */
export class EvidenceFold {
  readonly #calls: Call[] = [];
  readonly #asked = new Map<string, { readonly name: string; readonly args: unknown }>();
  readonly #reads = new Map<string, Evidence["reads"][number]>();
  readonly #programs: Evidence["programs"][number][] = [];
  readonly #counts = { ran: 0, refused: 0, failed: 0, model_calls: 0 };

  see(event: Event): void {
    switch (event.type) {
      case "llm.request":
        this.#counts.model_calls += 1;
        break;
      case "tool.invoke":
        this.#asked.set(event.payload.call_id, event.payload);
        break;
      case "tool.refused": {
        const { call_id, name, code, reason } = event.payload;
        this.#counts.refused += 1;
        this.#add({ call_id, tool: name, state: "refused", code, reason: reason.slice(0, mostReason) });
        break;
      }
      case "tool.result": {
        const { call_id, name, status, error } = event.payload;
        const target = targetOf(this.#asked.get(call_id)?.args);
        const state = status === "ok" ? "ran" : "failed";
        this.#counts[state] += 1;
        const why = error ? { code: error.code, reason: error.message.slice(0, mostReason) } : {};
        this.#add({ call_id, tool: name, state, ...(target === undefined ? {} : { target }), ...why });
        break;
      }
      case "tool.output":
        this.#seeOutput(event.payload);
        break;
      default:
    }
  }

  /** The document, with what the order changed and has not landed. */
  document(files: readonly ChangedFile[]): Evidence {
    let room = mostDiff;
    return {
      calls: [...this.#calls],
      files: files.map(({ diff, ...file }) => {
        if (diff === undefined || room <= 0) return file;
        const shown = diff.slice(0, room).toWellFormed();
        room -= shown.length;
        return { ...file, diff: shown };
      }),
      programs: [...this.#programs],
      reads: [...this.#reads.values()].slice(-mostReads),
      counts: { ...this.#counts },
      schema_version: "v1",
    };
  }

  #add(call: Call): void {
    this.#calls.push(call);
    if (this.#calls.length > mostCalls) this.#calls.shift();
  }

  #seeOutput({ call_id, content, is_error }: Event<"tool.output">["payload"]): void {
    const asked = this.#asked.get(call_id);
    if (is_error || !asked || !isJsonObject(content)) return;
    const { path, hash, start_line, line_count, exit_code, stdout, stderr } = content;
    if (asked.name === "fs.read" && typeof path === "string" && typeof hash === "string") {
      const lines =
        typeof start_line === "number" && typeof line_count === "number"
          ? { lines: `${start_line}+${line_count}` }
          : {};
      this.#reads.set(path, { path, sha256: hash, ...lines });
    }
    const { command } = isJsonObject(asked.args) ? asked.args : {};
    if (typeof exit_code === "number" && Array.isArray(command)) {
      const printed = [stdout, stderr]
        .filter((text) => typeof text === "string")
        .join("\n")
        .trim();
      this.#programs.push({ command: command.map(String), exit_code, tail: printed.slice(-mostTail).toWellFormed() });
      if (this.#programs.length > mostPrograms) this.#programs.shift();
    }
  }
}

/** What a call is about: a path or a command line. */
function targetOf(args: unknown): string | undefined {
  if (!isJsonObject(args)) return undefined;
  const { path, command } = args;
  if (typeof path === "string") return path.slice(0, 1000);
  return Array.isArray(command) ? command.map(String).join(" ").slice(0, 1000) : undefined;
}
