import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import type { EventKinds } from "#log";
import type { EventKind } from "../../log/event-kind.ts";
import { eventKinds } from "./events.ts";

test("every contract of an event has its kind, and every kind its contract", () => {
  const schemas = shippedRegistry();
  const types = Object.keys(eventKinds);
  expect(types.filter((type) => !schemas.has(`${type}_v1`))).toEqual([]);
  const contracts = readdirSync(new URL("../../../schemas/events/", import.meta.url));
  expect(types.map((type) => `${type}_v1.json`).toSorted()).toEqual(contracts.toSorted());
});

test("a table without one of the types, and a kind without one of the answers, do not compile", () => {
  const { "tool.invoke": toolInvoke, ...others } = eventKinds;
  // @ts-expect-error `tool.invoke` is missing
  const table: EventKinds = others;
  const { story: _story, ...untold } = toolInvoke;
  // @ts-expect-error `story` is missing
  const kind: EventKind<"tool.invoke"> = untold;
  const { lane: _lane, ...laneless } = toolInvoke.row;
  // @ts-expect-error `lane` is missing
  const row: EventKind<"tool.invoke">["row"] = laneless;
  expect([Object.keys(table).length, kind.isProblem, row.depth]).toEqual([Object.keys(others).length, false, 2]);
});
