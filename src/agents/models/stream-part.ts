import type { SchemaTypes } from "#core/contracts";

type Part = SchemaTypes["stream_part_v1"];

/** What a part of each type has; the contract has it as one object, in which everything but the type may be absent. */
interface Holds {
  readonly text: "text";
  readonly reasoning: "text";
  readonly call: "call_id" | "name" | "args";
  readonly result: "call_id" | "name" | "status";
  readonly todo: "items";
  readonly approval: "approval_id" | "kind" | "title";
  readonly message: "message_id" | "by" | "text";
  readonly restart: never;
  readonly end: "status";
}

/** What people are shown of a request while it is carried out: `type` decides what a part has. */
export type StreamPart<T extends Part["type"] = Part["type"]> = {
  [K in T]: Omit<Part, "type" | Holds[K]> & { readonly type: K } & Required<Pick<Part, Holds[K]>>;
}[T];
