import { type DomainError, domainError, err, type JsonObject, ok, type Result, zeroHash } from "#base";
import type { SchemaRegistry } from "#schemas";
import type { Event } from "../event.ts";
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

/** Corrections by the id of the event that they correct. */
export type Amendments = ReadonlyMap<string, JsonObject>;

/**
 * From events to a snapshot, one at a time: no clock, no disk, no locale, so the same events give the same bytes
 * anywhere. An event of a type that this Writ does not know is refused by name, never skipped.
 */
export class Fold {
  readonly #draft: Draft;
  readonly #schemas: Pick<SchemaRegistry, "has" | "validate">;
  readonly #amendments: Amendments;
  readonly #found = new Map<string, JsonObject>();
  readonly #known = new Set<string>();

  /** `amendments` come from an earlier pass: a correction stands behind what it corrects. */
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

  /** The corrections met so far. When there are any, a second pass with them gives the corrected snapshot. */
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
    if (event.type === "event.amended") this.#note(event as Event<"event.amended">);
    const reducer = reducers.get(event.type);
    const correction = this.#amendments.size > 0 ? this.#amendments.get(event.id) : undefined;
    if (!correction) {
      reducer?.(draft, event);
      return ok(undefined);
    }
    const payload = { ...event.payload, ...correction };
    const valid = this.#schemas.validate(`${event.type}_v1`, payload);
    if (!valid.ok) return err(badCorrection(event, valid.error));
    reducer?.(draft, { ...event, payload });
    return ok(undefined);
  }

  snapshot(): Snapshot {
    const { roles, agents, calls, cost, ...rest } = this.#draft;
    return {
      ...(JSON.parse(JSON.stringify(rest)) as typeof rest), // a copy; structuredClone took five times as long
      schema_version: "v1",
      cost: { ...cost, usd: rounded(cost.usd) },
      roles: Object.fromEntries(
        [...roles].map(([role, said]) => [
          role,
          { ...said, usd: rounded(said.usd), duration_ms: rounded(said.duration_ms) },
        ]),
      ),
      agents: Object.fromEntries(agents),
      tools_invoked: [...calls.values()],
      amended: [...this.#amendments.keys()],
    };
  }

  #note({ payload }: Event<"event.amended">): void {
    if (payload.correction)
      this.#found.set(payload.amends, { ...this.#found.get(payload.amends), ...(payload.correction as JsonObject) });
  }
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

function badCorrection(event: Event, error: DomainError): DomainError {
  return brokenContract(event, `a correction makes event ${event.seq} (${event.type}) break its contract`, error);
}

/** With what is wrong in its message: what has to be mended is not a document that somebody hands in again. */
export function brokenContract(event: Event, what: string, { message }: DomainError): DomainError {
  const { type: event_type, seq, session_id } = event;
  const hint = `\`writ session verify ${session_id}\` says more`;
  return domainError("SCHEMA_VIOLATION", `${what}: ${message}`, { details: { event_type, seq, session_id, hint } });
}
