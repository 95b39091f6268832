import { ledgerRules } from "#core/contracts";
import { err, isSessionId, ok, type Result, type SessionId } from "#core/values";
import type { EventLog, SessionLog } from "../event-log.ts";
import { badSessionId, drawnAgain, existsAlready } from "../session-errors.ts";
import type { Tier } from "../tier.ts";
import { writeSnapshot } from "../write-snapshot.ts";
import { JsonlReader } from "./jsonl-reader.ts";
import { JsonlWriter } from "./jsonl-writer.ts";
import { defaultLimits, type JsonlLogOptions } from "./options.ts";
import { hasFolder } from "./session-paths.ts";

/**
 * The log of a workspace in JSONL files. Reading needs no setup; the first `create` or `open` finishes the journals of
 * dead processes and begins one of its own.
 */
export class JsonlLog extends JsonlReader implements EventLog {
  readonly #options: JsonlLogOptions;
  readonly #writer: JsonlWriter;

  constructor(options: JsonlLogOptions) {
    const limits = { ...defaultLimits, ...options.limits };
    const rules = options.rules ?? ledgerRules;
    const writer = new JsonlWriter({ ...options, rules, limits });
    super({
      root: options.root,
      rules,
      clock: options.clock,
      pollMs: limits.pollMs,
      own: writer,
    });
    this.#options = options;
    this.#writer = writer;
  }

  async create(options: { readonly tier: Tier; readonly session_id?: SessionId }): Promise<Result<SessionLog>> {
    const session_id = options.session_id ?? this.#options.ids.sessionId();
    if (options.session_id !== undefined) {
      if (!isSessionId(session_id)) return badSessionId(session_id);
      if ((await this.locate(session_id)).ok) return err(existsAlready(session_id));
    }
    const started = await this.#writer.start();
    if (this.#writer.session(session_id)) return err(existsAlready(session_id)); // a concurrent call created it first
    if (options.session_id === undefined && hasFolder(this.#options.root, options.tier, session_id))
      return err(drawnAgain(session_id));
    return started.ok ? ok(this.#writer.create(session_id, options.tier)) : started;
  }

  open(session_id: SessionId): Promise<Result<SessionLog>> {
    return this.#writer.open(session_id);
  }

  keepSnapshot(session_id: SessionId, folder: string, text: string): void {
    if (!this.#writer.takeSnapshot(session_id, text)) writeSnapshot(folder, text);
  }

  flush(): Promise<Result<void>> {
    return this.#writer.flush();
  }

  shutdown(): Promise<Result<void>> {
    return this.#writer.shutdown();
  }
}
