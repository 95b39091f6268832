// F15 at an address: a server that began anew is greeted again, and no call is made twice for it.
import { expect, test } from "vitest";
import { approvedBench } from "../support/mcp.ts";
import { sessionServer } from "../support/session-server.ts";
import { codeOf, valueOf } from "../support/tool-bench.ts";

test.each([404, 400])(
  "a server that answers %i to a session it no longer knows is greeted again by the next look",
  async (status) => {
    await using desk = await sessionServer(status);
    await using approved = await approvedBench(desk.spec());
    desk.restart();
    expect(codeOf(await approved.bench.call("desk.post"))).toBe("ok");
    expect([desk.greeted, desk.called]).toEqual([2, 1]);
  },
);

test("a call that a server did not take because it began anew fails and is not made again; the next one is made", async () => {
  await using desk = await sessionServer();
  await using approved = await approvedBench(desk.spec({ recheckMs: 600_000 })); // no look comes before a call
  desk.restart();
  const failed = valueOf(await approved.bench.call("desk.post"));
  expect(failed).toMatchObject({ isError: true, error: { code: "TOOL_ERROR" } });
  expect(failed.error?.message).toContain("did not take the request");
  expect([desk.greeted, desk.called]).toEqual([1, 0]);
  expect(codeOf(await approved.bench.call("desk.post"))).toBe("ok");
  expect([desk.greeted, desk.called]).toEqual([2, 1]);
});

test("a call that is under way is not cut off by a look that fails", async () => {
  await using desk = await sessionServer();
  await using approved = await approvedBench(desk.spec());
  const begun = desk.hold();
  const call = approved.bench.call("desk.post");
  const end = await begun;
  desk.refuse(503);
  expect(await approved.server.offer()).toMatchObject({ ok: false, error: { code: "TOOL_ERROR" } });
  end();
  expect(codeOf(await call)).toBe("ok");
  desk.refuse(200);
  expect(await approved.server.offer()).toMatchObject({ ok: true });
  expect([desk.greeted, desk.called]).toEqual([2, 1]);
});

test("a server that is gone is told as one that cannot be reached", async () => {
  const desk = await sessionServer();
  await using approved = await approvedBench(desk.spec());
  await desk[Symbol.asyncDispose]();
  expect(await approved.server.offer()).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining("cannot be reached"), details: { server: "desk" } },
  });
});
