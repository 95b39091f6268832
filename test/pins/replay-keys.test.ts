// How a resumed session finds what it recorded: a changed key would make sessions on disk repeat their events, or never match them.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Event, type EventInput, type EventType } from "#log";
import { eventKinds } from "../../src/main/tables/events.ts";
import { isBookkeeping, matchKey } from "../../src/work/replay/match-key.ts";
import { OwnHistory } from "../../src/work/replay/own-history.ts";
import { repository } from "../support/writ.ts";
import { pinned } from "./pinned.ts";

type Payload = Readonly<Record<string, unknown>>;

const folder = `${repository}schemas/events`;
const eventTypes = readdirSync(folder)
  .map((file) => file.replace(/_v1\.json$/, ""))
  .toSorted();

/** Every field that the contract of an event names, holding its own name: the key then shows which of them take part in it. */
function payloadOf(type: string): Payload {
  const contract = JSON.parse(readFileSync(`${folder}/${type}_v1.json`, "utf8")) as { readonly properties?: object };
  return Object.fromEntries(Object.keys(contract.properties ?? {}).map((name) => [name, `<${name}>`]));
}

/** The actions of a budget have keys of their own. */
function payloadsOf(type: string): readonly Payload[] {
  const payload = payloadOf(type);
  if (type !== "budget.updated") return [payload];
  const actions = ["allocate", "reserve", "settle", "release", "exhausted", "<action>"];
  return actions.map((action) => ({ ...payload, action }));
}

const eventOf = (type: string, payload: Payload) =>
  ({ id: "e1", seq: 1, type, actor: "test", payload }) as unknown as Event;

const answer = (isNever: boolean) => (isNever ? "never said again" : "matched by its key");

test("every event type has its recorded key, and is said again or not as recorded", async () => {
  expect(eventTypes).toEqual(Object.keys(eventKinds).toSorted());
  const lines = eventTypes.flatMap((type) =>
    payloadsOf(type).map((payload) => {
      const event = eventOf(type, payload);
      const alone = answer(isBookkeeping(event, new Set(), eventKinds));
      const named = answer(isBookkeeping(event, new Set([payload["reservation_id"]]), eventKinds));
      const replay = alone === named ? alone : `${alone}; ${named} once a request names its reservation`;
      const taken = new OwnHistory([event], eventKinds).take(event as unknown as EventInput);
      return `${type}\n  key    ${matchKey<EventType>(event, eventKinds)}\n  replay ${replay}\n  again  ${taken ? "given back" : "written anew"}`;
    }),
  );
  await pinned("replay-keys.txt", `${lines.join("\n")}\n`);
});

/** What causes an effect is found by the fields that name its cause, and by no other. */
const effects: readonly (readonly [string, (past: OwnHistory) => unknown])[] = [
  ["llm.request", (past) => past.takeRequest("<role>", "<conversation_hash>")],
  ["tool.invoke", (past) => past.takeCall("<call_id>")],
  ["hook.fired", (past) => past.takeFiring({ point: "<point>", subject: "<subject>", input_hash: "<input_hash>" })],
  ["attention.assembled", (past) => past.takeContext()],
];

test.each(effects)("a recorded %s is found by what caused it, once", (type, take) => {
  const payload = { ...payloadOf(type), ...(type === "tool.invoke" ? { attempt: 1 } : {}) };
  const past = new OwnHistory([eventOf(type, payload)], eventKinds);
  expect(take(past)).toBeDefined();
  expect(take(past)).toBeUndefined();
  for (const name of ["role", "conversation_hash", "call_id", "point", "subject", "input_hash"]) {
    if (!(name in payload)) continue;
    const other = new OwnHistory([eventOf(type, { ...payload, [name]: "another" })], eventKinds);
    const decides =
      {
        "llm.request": ["role", "conversation_hash"],
        "tool.invoke": ["call_id"],
        "hook.fired": ["point", "subject", "input_hash"],
      }[type] ?? [];
    expect([name, take(other) === undefined]).toEqual([name, decides.includes(name)]);
  }
});
