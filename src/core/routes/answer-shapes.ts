import type { SchemaId } from "../contracts/registry.ts";

/** Answers that are no contract of their own, as JSON Schema: what is always there, and what may be. */
export type Shape = Readonly<Record<string, unknown>>;
export type Fields = Readonly<Record<string, Shape>>;

interface ContractFields {
  readonly always: Fields;
  readonly maybe: Fields;
}

export const is: Readonly<Record<"text" | "count" | "number" | "flag" | "time" | "hash" | "schema", Shape>> = {
  text: { type: "string" },
  count: { type: "integer", minimum: 0 },
  number: { type: "number" },
  flag: { type: "boolean" },
  time: { type: "string", description: "ISO 8601, UTC." },
  hash: { type: "string", pattern: "^[0-9a-f]{64}$" },
  schema: { type: "object", description: "A JSON Schema." },
};

export function objectOf(fields: Fields, maybe: Fields = {}): Shape {
  return { type: "object", required: Object.keys(fields), properties: { ...fields, ...maybe } };
}

export function arrayOf(items: Shape): Shape {
  return { type: "array", items };
}

/** A page of a list; `next` asks for the one after it. */
export function listOf(name: string, items: Shape, more: Fields = {}): Shape {
  return objectOf({ [name]: arrayOf(items), next: { type: ["string", "integer", "null"] }, ...more });
}

/** Fields of a contract that an answer contains beside others, so that the contract as a whole would refuse it. */
function fieldsOf(contract: SchemaId, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, { $ref: `${contract}#/properties/${name}` }]));
}

export function orNull(shape: Shape): Shape {
  return { anyOf: [shape, { type: "null" }] };
}

/** What the list of a workspace has of a session without reading all of it. */
const ends = {
  session_id: is.text,
  tier: { enum: ["hot", "ho2", "ho1"] },
  started_at: is.time,
  last_at: is.time,
  closed: is.flag,
  ok: { type: ["boolean", "null"], description: "What `session.close` says; null while open." },
  status: { type: ["string", "null"] },
  head_hash: is.hash,
  events: is.count,
} satisfies Fields;
const origin = {
  work_order_id: { type: ["string", "null"] },
  parent_session_id: { type: ["string", "null"] },
} satisfies Fields;

/** Absent where there is nothing to tell. */
const notices = {
  notices: arrayOf(is.text),
  refused_acts: { ...is.count, description: "Acts outside its order that were tried and refused." },
};
const sessionState: Shape = {
  enum: ["running", "waiting", "halted", "interrupted", "done", "failed", "refused", "in_doubt", "quarantined"],
  description:
    "How it stands. `running` is only what a live process writes now; `interrupted` is open, and no process is at it.",
};
export const sessionEnds: Shape = objectOf(ends, notices);
export const sessionInfo: Shape = objectOf({ ...ends, ...origin }, notices);
/** Of an answer the number, and the first names; absent until the session was read. */
const summary: Shape = objectOf({ count: is.count, first: arrayOf(is.text) });
export const listedSession: Shape = objectOf(
  {
    ...ends,
    ...origin,
    asked: { type: ["string", "null"], description: "The prompt as the hooks let it pass, cut short." },
    waiting: { type: "boolean", description: "Whether a person has to decide before it goes on." },
    state: sessionState,
    caller_id: { type: ["string", "null"] },
    cycle_id: { type: ["string", "null"] },
    skills: arrayOf(is.text),
    tokens: is.count,
    usd: is.number,
    allowed_by: summary,
    saw: summary,
    wrote: summary,
  },
  notices,
);

const counted = (item: Shape): Shape => objectOf({ items: arrayOf(item), count: is.count });

/** Who allowed it, what did it see, what did it write, what did it cost: each item names its event. */
export const answers: Shape = objectOf({
  allowed_by: counted(
    objectOf({
      seq: is.count,
      kind: { enum: ["order", "framework", "skill", "right", "hook", "policy", "values", "person"] },
      rule: is.text,
      where: { type: ["string", "null"], description: "File, file with line, or document with clause." },
      decision: is.text,
      about: { type: ["string", "null"] },
      shadow: { type: "boolean", description: "It only watched, and changed nothing." },
      times: is.count,
    }),
  ),
  saw: counted(
    objectOf({
      seq: is.count,
      kind: { enum: ["file", "context", "output", "skill", "rules", "thread"] },
      name: is.text,
      trust: { type: ["string", "null"] },
      hash: { type: ["string", "null"] },
      times: is.count,
    }),
  ),
  wrote: counted(
    objectOf({
      seq: is.count,
      path: is.text,
      change: is.text,
      state: { enum: ["landed", "waiting", "quarantined", "dropped"] },
      hash: { type: ["string", "null"] },
      bytes: { type: ["integer", "null"] },
      added: { type: ["integer", "null"], description: "Lines; null where the record cannot tell." },
      removed: { type: ["integer", "null"] },
      call_seq: { type: ["integer", "null"], description: "The call that wrote it last." },
    }),
  ),
  cost: objectOf({
    calls: is.count,
    input: is.count,
    cached: is.count,
    output: is.count,
    usd: is.number,
    estimated: is.flag,
    by: arrayOf(
      objectOf({
        role: is.text,
        model: is.text,
        calls: is.count,
        input: is.count,
        cached: is.count,
        output: is.count,
        usd: is.number,
      }),
    ),
    below: objectOf({ orders: is.count, tokens: is.count, usd: is.number }),
    token_limit: { type: ["integer", "null"] },
    usd_limit: { type: ["number", "null"] },
    gates_ms: is.number,
  }),
});

/** How a session stands, with the halt that stopped it. */
export const standing: Fields = {
  state: sessionState,
  halted: orNull(objectOf({ by: is.text, reason: is.text, at: is.time })),
};

export const halt: Shape = objectOf({
  session_id: { type: ["string", "null"], description: "null: everything is halted." },
  by: is.text,
  reason: is.text,
  halted_at: is.time,
  may_lift: { type: "boolean", description: "Whether this caller may do at least what they may who set it." },
});

const givenContext = "attention.assembled_v1#/properties/fragments/items/properties";
const fragmentField = (name: string): Shape => ({ $ref: `${givenContext}/${name}` });
/** A piece of context that an agent was given, as its event has it. */
export const fragment: Shape = objectOf(
  {
    seq: is.count,
    origin: fragmentField("origin"),
    trust: fragmentField("trust"),
    hash: fragmentField("hash"),
    tokens: fragmentField("tokens"),
    stage: fragmentField("stage"),
  },
  { source_hash: fragmentField("source_hash"), ts: fragmentField("ts"), score: fragmentField("score") },
);

/** Tokens and money; null is no limit. */
export const limits: Fields = {
  token_limit: { type: ["integer", "null"] },
  usd_limit: { type: ["number", "null"] },
};

export const policyFields: ContractFields = {
  always: fieldsOf("policy_v1", ["id", "kind", "rules", "schema_version"]),
  maybe: fieldsOf("policy_v1", ["title", "description", "default", "parameters", "shadow", "version"]),
};
export const phaseFields: ContractFields = {
  always: fieldsOf("phase_v1", ["id", "advance_signal", "schema_version"]),
  maybe: fieldsOf("phase_v1", [
    "title",
    "description",
    "halt_signal",
    "agents_invoked",
    "input_schema",
    "output_schema",
    "policies",
    "artifacts",
    "approval",
    "budget",
    "version",
  ]),
};
