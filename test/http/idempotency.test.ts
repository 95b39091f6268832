import { expect, test } from "vitest";
import { domainError } from "#core/errors";
import { type BoundRoute, type Call, json } from "#core/routes";
import { err, ok, type Result, systemClock } from "#core/values";
import { Idempotency } from "../../src/surface/http/idempotency.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";

test("a repetition that comes before the first has named what it makes waits for it, and names nothing itself", async () => {
  await using workspace = await testWorkspace();
  let name = (_: Result<string>) => {};
  const named = new Promise<Result<string>>((resolve) => {
    name = resolve;
  });
  const idempotency = new Idempotency(workspace.runtime.store, systemClock);
  const made: (string | undefined)[] = [];
  const route = {
    method: "POST",
    path: "/api/v1/requests",
    answer: { status: 202, description: "" },
    reserveId: () => named,
    handle: async ({ reservedId }: Call) => {
      made.push(reservedId?.id);
      return ok(json({ id: reservedId?.id }));
    },
  } as unknown as BoundRoute;
  const call = (prompt: string) =>
    ({ caller: { id: "ada" }, params: {}, body: { prompt }, header: () => "the-key" }) as unknown as Call;
  const first = idempotency.once(route, call("greet Ada"));
  const repeated = idempotency.once(route, call("greet Ada"));
  const different = await idempotency.once(route, call("greet Bob"));
  name(ok("WO-20261115-007"));
  expect(different).toMatchObject({ ok: false, error: { code: "WRITE_CONFLICT" } });
  const answer = { ok: true, value: { body: { id: "WO-20261115-007" } } };
  expect([await first, await repeated]).toMatchObject([answer, answer]);
  expect(made).toEqual(["WO-20261115-007"]);
});

test("the key of a refused request is not kept for ever", async () => {
  await using workspace = await testWorkspace();
  const { store } = workspace.runtime;
  const idempotency = new Idempotency(store, systemClock);
  const route = {
    method: "POST",
    path: "/api/v1/requests",
    answer: { status: 202, description: "" },
    reserveId: async () => ok("WO-20261115-007"),
    handle: async () => err(domainError("HALTED", "everything is halted")),
  } as unknown as BoundRoute;
  const call = { caller: { id: "ada" }, params: {}, body: {}, header: () => "the-key" } as unknown as Call;
  expect(await idempotency.once(route, call)).toMatchObject({ ok: false, error: { code: "HALTED" } });
  expect(await store.prune("9999-01-01T00:00:00.000Z", 9)).toMatchObject({ ok: true, value: { request_keys: 1 } });
});
