import type { SchemaRegistry } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result, zeroHash } from "#core/values";
import type { Event, EventType } from "../event.ts";
import type { Draft, Reducers, Snapshot } from "./draft.ts";
import { agentReducers } from "./reducers/agents.ts";
import { modelReducers } from "./reducers/model.ts";
import { sessionReducers } from "./reducers/session.ts";
import { toolReducers } from "./reducers/tools.ts";
import { workOrderReducers } from "./reducers/work-order.ts";
import { workflowReducers } from "./reducers/workflow.ts";

/** A new type of event adds its reducer to one of these tables, or a table of its own to this list. */
const tables: readonly Reducers[] = [
  sessionReducers,
  workOrderReducers,
  modelReducers,
  agentReducers,
  toolReducers,
  workflowReducers,
];
const reducers = new Map(tables.flatMap((table) => Object.entries(table))) as ReadonlyMap<
  string,
  (draft: Draft, event: Event) => void
>;

/** What corrections make of one event. */
export interface Amendment {
  /** All corrections merged, the last one winning; undefined when none states a correct value. */
  readonly correction: JsonObject | undefined;
  /** The last of them. */
  readonly seq: number;
}

/** By the id of the event that they correct. */
export type Amendments = ReadonlyMap<string, Amendment>;

/**
 * From events to a snapshot, one at a time: no clock, no disk, no locale, so the same events give the same bytes
 * anywhere. An event of a type that this Writ does not know is refused by name, never skipped.
 */
export class Fold {
  readonly #draft: Draft;
  readonly #schemas: Pick<SchemaRegistry, "has" | "validate">;
  readonly #amendments: Amendments;
  readonly #found = new Map<string, Amendment>();
  /** The hashes of corrected events, once they were read. */
  readonly #amended = new Map<string, string>();
  readonly #known = new Set<string>();

  /** `amendments` come from an earlier pass: a correction follows the event that it corrects. */
  constructor(
    session_id: string,
    schemas: Pick<SchemaRegistry, "has" | "validate">,
    amendments: Amendments = new Map(),
  ) {
    this.#draft = emptyDraft(session_id);
    this.#schemas = schemas;
    this.#amendments = amendments;
  }

  get eventCount(): number {
    return this.#draft.event_count;
  }

  get headHash(): string {
    return this.#draft.head_hash;
  }

  /** The corrections read so far. When there are any, a second pass with them gives the corrected snapshot. */
  get found(): Amendments {
    return this.#found;
  }

  add(event: Event): Result<void> {
    if (!this.#known.has(event.type)) {
      if (!this.#schemas.has(`${event.type}_v1`)) return err(unknownType(event));
      this.#known.add(event.type);
    }
    const draft = this.#draft;
    draft.event_count += 1;
    draft.head_hash = event.hash;
    draft.started_at ??= event.ts;
    draft.last_at = event.ts;
    if (event.type === "event.amended") {
      const unfounded = this.#note(event);
      if (unfounded !== undefined) return err(unfoundedCorrection(event, unfounded));
    }
    const reducer = reducers.get(event.type);
    const amendment = this.#amendments.size > 0 ? this.#amendments.get(event.id) : undefined;
    if (amendment) this.#amended.set(event.id, event.hash);
    if (!amendment?.correction) {
      reducer?.(draft, event);
      return ok(undefined);
    }
    const corrected = withCorrection(event, amendment.correction);
    const valid = this.#schemas.validate(`${event.type}_v1`, corrected.payload);
    if (!valid.ok) return err(badCorrection(event, amendment, valid.error));
    reducer?.(draft, corrected);
    return ok(undefined);
  }

  snapshot(): Snapshot {
    const { roles, agents, calls, cost, children, ...rest } = this.#draft;
    return {
      ...(JSON.parse(JSON.stringify(rest)) as typeof rest), // a copy; structuredClone took five times as long
      schema_version: "v1",
      cost: { ...cost, usd: rounded(cost.usd) },
      ...(children ? { children: { ...children, usd: rounded(children.usd) } } : {}),
      roles: Object.fromEntries(
        [...roles].map(([role, said]) => [
          role,
          { ...said, usd: rounded(said.usd), duration_ms: rounded(said.duration_ms) },
        ]),
      ),
      agents: Object.fromEntries(agents),
      tools_invoked: [...calls.values()],
      amended: [...this.#amendments].filter(([, { correction }]) => correction).map(([id]) => id),
    };
  }

  /**
   * The problem of an amendment's reference to the event that it corrects, if there is one. Checked in the second pass,
   * which knows whose hashes to keep: append keeps no past events. The hash may be absent (v1 allows it), never
   * different. A remark that names no hash and corrects nothing claims nothing; the first Writ accepted it with any
   * name.
   */
  #note({ seq, payload: { amends, amended_hash, correction } }: Event<"event.amended">): string | undefined {
    if (!correction && amended_hash === undefined) return undefined;
    const before = this.#found.get(amends)?.correction;
    this.#found.set(amends, {
      correction: correction ? { ...before, ...(correction as JsonObject) } : before,
      seq,
    });
    if (!this.#amendments.has(amends)) return undefined; // the first pass, or newer than it
    const hash = this.#amended.get(amends);
    if (hash === undefined) return `names ${JSON.stringify(amends)}, and no event before it in its session has that id`;
    return amended_hash === undefined || amended_hash === hash
      ? undefined
      : `names an event with the hash ${amended_hash}, and ${amends} has the hash ${hash}`;
  }
}

function withCorrection<T extends EventType>(event: Event<T>, correction: JsonObject): Event<T> {
  return { ...event, payload: { ...event.payload, ...correction } };
}

/** Sums of decimal fractions are cut where adding them stops being exact: nine places are billionths of a dollar. */
function rounded(sum: number): number {
  return Math.round(sum * 1e9) / 1e9;
}

function emptyDraft(session_id: string): Draft {
  return {
    session_id,
    tier: null,
    started_at: null,
    last_at: null,
    closed: false,
    ok: null,
    status: null,
    reason: null,
    output: null,
    verdict: null,
    cost: { input: 0, output: 0, usd: 0 },
    roles: new Map(),
    agents: new Map(),
    calls: new Map(),
    skills: [],
    gates: { allow: 0, deny: 0, transform: 0, ask: 0, refused: 0 },
    workflow: null,
    work_order: null,
    violations: 0,
    event_count: 0,
    head_hash: zeroHash,
  };
}

function unknownType(event: Event): DomainError {
  return domainError(
    "SCHEMA_NOT_FOUND",
    `event ${event.seq} of ${event.session_id} has the type "${event.type}", which this Writ does not know; replay it with the newer Writ that wrote it`,
    { details: { event_type: event.type, seq: event.seq, session_id: event.session_id } },
  );
}

function badCorrection(event: Event, { seq: amended_by }: Amendment, { message }: DomainError): DomainError {
  return senseless(event, `a correction makes event ${event.seq} (${event.type}) break its contract: ${message}`, {
    amended_by,
  });
}

function unfoundedCorrection(event: Event, what: string): DomainError {
  return senseless(event, `event ${event.seq} (event.amended) ${what}`, { amended_by: event.seq });
}

/** Carries the violation in its message: the broken document is in the log, and no caller can submit it again. */
export function brokenContract(event: Event, { message }: DomainError): DomainError {
  return senseless(event, `event ${event.seq} (${event.type}) does not keep its contract: ${message}`);
}

function senseless({ type: event_type, seq, session_id }: Event, message: string, more: object = {}): DomainError {
  const hint = `\`writ session verify ${session_id}\` says more`;
  return domainError("SCHEMA_VIOLATION", message, { details: { event_type, seq, session_id, ...more, hint } });
}
