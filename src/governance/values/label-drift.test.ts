import { expect, test } from "vitest";
import { domainError } from "#core/errors";
import { err, ok } from "#core/values";
import type { Event } from "#log";
import { recordOf, ValueSession } from "../../../test/support/value-session.ts";
import type { ValueRights } from "./declarations.ts";
import { labelDrift } from "./label-drift.ts";

const rights: ValueRights = {
  pack: "standard",
  tools: { "mail.send": { args: { to: { sink: "reach", kind: "mail" }, body: { sink: "content" } } } },
};
const send = { tool: "mail.send", args: { to: "bob@firm.example", body: "hi" } };
const read = (session_id: string) => {
  const found = recordOf(session_id);
  return Promise.resolve(found ? ok(found) : err(domainError("NOT_FOUND", "gone")));
};

function changed(events: readonly Event[]): readonly Event[] {
  return events.map((event) =>
    event.type === "tool.invoke"
      ? { ...event, payload: { ...event.payload, values: [{ at: "/to", sink: "reach", from: ["person"] }] } }
      : event,
  );
}

test("a record whose labels its events give has no drift, one with other labels is named with the call", async () => {
  const session = new ValueSession("Write to bob@firm.example", rights);
  session.call(send, { sent: true });
  expect(await labelDrift(session.events, read)).toBeUndefined();
  expect(await labelDrift(changed(session.events), read)).toMatch(
    /^the values of mail\.send are recorded as \/to from person/,
  );
});

test("what a session rests on is read; where it is gone nothing can be compared", async () => {
  const above = new ValueSession("Write to bob@firm.example", rights);
  const below = new ValueSession("Do it", rights, { under: above });
  below.call(send, { sent: true });
  expect(await labelDrift(below.events, read)).toBeUndefined();
  expect(await labelDrift(changed(below.events), read)).toBeDefined();
  const gone = () => Promise.resolve(err(domainError("NOT_FOUND", "gone")));
  expect(await labelDrift(changed(below.events), gone)).toBeUndefined();
});
