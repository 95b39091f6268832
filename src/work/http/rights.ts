import { arrayOf, is, json, objectOf, plainGet, type Route } from "#core/routes";
import { ok } from "#core/values";
import { readOrderRights } from "#governance/mandate";
import type { LogReader } from "#log";
import { sessionOf } from "#proof";

export interface RightsRouteParts {
  readonly log: Pick<LogReader, "read">;
}

const rights = objectOf({
  session_id: is.text,
  work_order_id: { type: ["string", "null"], description: "null where no mandate can be read." },
  damaged: { type: "boolean", description: "The record does not hold, so nothing is said of rights: verify it." },
  rights: arrayOf(
    objectOf({
      right: { enum: ["tool", "read", "write", "program", "host", "model", "delegation"] },
      document: is.text,
      path: { ...is.text, description: "Where the right stands in the document." },
      pattern: is.text,
      used: { type: ["integer", "null"], description: "For how many things; null where the record cannot tell." },
      examples: arrayOf(is.text),
    }),
  ),
});

/** What an order was granted, and what it used of that. */
export const rightsRoute: Route<RightsRouteParts> = {
  ...plainGet,
  path: "/api/v1/sessions/:session_id/rights",
  tag: "sessions",
  summary: "The rights that a session's order states, and what it and the orders below it used them for",
  right: "read",
  query: {},
  headers: {},
  answer: { status: 200, description: "The rights.", schema: rights },
  otherAnswers: [],
  async handle({ log }, { params }) {
    const id = sessionOf(params);
    if (!id.ok) return id;
    const read = await readOrderRights(id.value, log);
    // A page of a damaged session shows what can be shown, and where it breaks; its rights cannot be.
    const damaged = !read.ok && read.error.code === "LEDGER_CORRUPT";
    if (!read.ok && !damaged) return read;
    const none = { session_id: id.value, work_order_id: null, rights: [] };
    return ok(json({ ...((read.ok && read.value) || none), damaged }));
  },
};
