import { ledgerRules } from "#core/contracts";
import { err, isSessionId, ok, type Result, type SessionId } from "#core/values";
import type { EventLog, SessionLog } from "../event-log.ts";
import { badSessionId, existsAlready } from "../session-errors.ts";
import type { Tier } from "../tier.ts";
import { writeSnapshot } from "../write-snapshot.ts";
import { defaultLimits, type PostgresLogOptions } from "./options.ts";
import { PostgresReader } from "./postgres-reader.ts";
import { PostgresWriter } from "./postgres-writer.ts";

/** The log of many machines. The connection belongs to the caller, which closes it after `shutdown`. */
export class PostgresLog extends PostgresReader implements EventLog {
  readonly #options: PostgresLogOptions;
  readonly #writer: PostgresWriter;

  constructor(options: PostgresLogOptions) {
    const limits = { ...defaultLimits, ...options.limits };
    const rules = options.rules ?? ledgerRules;
    const tenant = options.tenant ?? options.postgres.address.tenant;
    const writer = new PostgresWriter({ ...options, tenant, rules, limits });
    const { postgres, root, clock, anchorLines } = options;
    super({
      postgres,
      tenant,
      root,
      rules,
      clock,
      pollMs: limits.pollMs,
      anchorLines,
      own: (id) => writer.session(id),
    });
    this.#options = options;
    this.#writer = writer;
  }

  async create(options: { readonly tier: Tier; readonly session_id?: SessionId }): Promise<Result<SessionLog>> {
    const session_id = options.session_id ?? this.#options.ids.sessionId();
    if (!isSessionId(session_id)) return badSessionId(session_id);
    const started = await this.#writer.start();
    if (!started.ok) return started;
    if (options.session_id !== undefined && (await this.locate(session_id)).ok) return err(existsAlready(session_id));
    return ok(this.#writer.create(session_id, options.tier));
  }

  readonly writtenElsewhere = (ids: readonly SessionId[]): Promise<Result<ReadonlySet<string>>> =>
    this.#writer.writtenElsewhere(ids);

  open(session_id: SessionId): Promise<Result<SessionLog>> {
    return this.#writer.open(session_id);
  }

  keepSnapshot(_: SessionId, folder: string, text: string): void {
    writeSnapshot(folder, text);
  }

  flush(): Promise<Result<void>> {
    return this.#writer.flush();
  }

  shutdown(): Promise<Result<void>> {
    return this.#writer.shutdown();
  }
}
