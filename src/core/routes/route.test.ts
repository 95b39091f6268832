import { expect, test } from "vitest";
import { ok } from "../values/result.ts";
import { bindRoute, json, type Route } from "./route.ts";

interface Greeter {
  readonly greet: (name: string) => string;
}

const greeting: Route<Greeter> = {
  method: "POST",
  path: "/greetings",
  tag: "test",
  summary: "Greets",
  right: "public",
  query: {},
  headers: {},
  body: null,
  answer: { status: 200, description: "A greeting.", schema: { type: "object" } },
  otherAnswers: [],
  reserveId: async ({ greet }) => ok(greet("id")),
  isSecret: false,
  isProbe: false,
  handle: async ({ greet }, { caller }) => ok(json({ greeting: greet(caller.id) })),
};

test("a bound route is called without its parts", async () => {
  const route = bindRoute(greeting, { greet: (name) => `hello ${name}` });
  const caller = { id: "ada", roles: [], grants: [], authenticatedBy: "local" as const };
  const { signal } = new AbortController();
  const call = { caller, params: {}, query: {}, body: undefined, header: () => undefined, signal };
  expect(await route.handle(call)).toEqual(ok(json({ greeting: "hello ada" })));
  expect(await route.reserveId?.()).toEqual(ok("hello id"));
});

test("a table whose parts lack one that a row needs, and a row without an answer, do not compile", () => {
  // @ts-expect-error the table has no `greet`
  const table: readonly Route<{ readonly clock: unknown }>[] = [greeting];
  const { reserveId: _reserveId, ...forgetful } = greeting;
  // @ts-expect-error `reserveId` is missing
  const row: Route<Greeter> = forgetful;
  expect([table.length, row.path]).toEqual([1, "/greetings"]);
});
