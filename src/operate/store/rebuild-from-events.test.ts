import { describe, expect, test } from "vitest";
import { SharesFromEvents } from "#agents";
import { canonicalJson, sha256 } from "#core/values";
import { PermitsFromEvents } from "#effects";
import type { Event, EventInput, RecordedSession } from "#log";
import { HaltsFromEvents, OrdersFromEvents } from "#work";
import type { WritConfig } from "#workspace";

let counter = 0;

function session(start: Partial<RecordedSession["start"]>, ...inputs: readonly EventInput[]): RecordedSession {
  const session_id = `SES-${++counter}`;
  const events = inputs.map((input) => {
    const number = String(++counter).padStart(3, "0");
    return { ...input, session_id, id: number, seq: counter, ts: `2026-11-15T10:00:00.${number}Z` } as unknown as Event;
  });
  return { session_id, start: { tier: "hot", work_order_id: "halt", ...start }, events };
}

const halted = (reason = "it smells") =>
  ({ type: "session.halted", actor: "ada", payload: { by: "ada", reason } }) as const;
const lifted = (reason: string) =>
  ({ type: "session.resumed", actor: "ada", payload: { from_seq: 0, by: "ada", reason } }) as const;

describe("halts", () => {
  const standing = (...sessions: readonly RecordedSession[]) => {
    const halts = new HaltsFromEvents();
    for (const each of sessions) halts.read(each);
    return halts.rebuilt().map(({ session_id, reason }) => [session_id, reason]);
  };
  const one = () => session({ parent_session_id: "SES-x" }, halted("SES-x: that one"));

  test("the first that was ordered stands, each under what it is about, whatever order the sessions are read in", () => {
    const [a, b, c] = [session({}, halted()), one(), session({}, halted("again"))];
    expect(standing(c, b, a)).toEqual([
      [null, "it smells"],
      ["SES-x", "that one"],
    ]);
  });

  test("lifting one leaves the others; a record that does not say that all were lifted lifted one", () => {
    expect(standing(one(), session({}, halted()), session({}, lifted("the halt was lifted")))).toEqual([
      ["SES-x", "that one"],
    ]);
    expect(standing(one(), session({}, halted()), session({}, lifted("every halt was lifted")))).toEqual([]);
  });

  test("what a halted flow says of itself, and an order that is called halt, are no halts", () => {
    expect(standing(session({ work_order_id: "WO-20261115-001" }, halted()))).toEqual([]);
    expect(standing(session({ framework_id: "FMWK-005" }, halted()))).toEqual([]);
  });
});

describe("approved tools", () => {
  const definition = { name: "look" };
  const approved = (hash: string): EventInput => ({
    type: "tool.approved",
    actor: "ada",
    payload: {
      server: "s",
      tool: "look",
      name: "s_look",
      hash,
      previous_hash: null,
      changed: [],
      definition,
      launch: { command: "x" },
      approved_by: "ada",
    },
  });
  const pins = (...inputs: readonly EventInput[]) => {
    const permits = new PermitsFromEvents();
    permits.read(session({ work_order_id: "tool-approval" }, ...inputs));
    return permits.rebuilt().toolPins;
  };
  const good = sha256(canonicalJson(definition));
  const withdrawn = {
    type: "tool.withdrawn",
    actor: "ada",
    payload: { server: "s", tool: "look", name: "s_look", hash: good, withdrawn_by: "ada", reason: "" },
  } as const;

  test("are pinned again by what proves its hash; what was withdrawn, or proves nothing, is asked about again", () => {
    const launch = canonicalJson({ command: "x" });
    expect(pins(approved(good))).toMatchObject([{ hash: good, launch, definition: canonicalJson(definition) }]);
    expect(pins(approved(good), withdrawn)).toEqual([]);
    expect(pins(approved(good), approved("0".repeat(64)))).toEqual([]);
  });
});

describe("orders", () => {
  const flow = { framework_id: "FMWK-005", work_order_id: "WO-20261115-007" };
  const started = (order: object = {}) =>
    ({
      type: "wo.started",
      actor: "flow",
      payload: { work_order_id: flow.work_order_id, work_order: { ...flow, scope: {}, ...order }, caller_id: "ada" },
    }) as unknown as EventInput;
  const rebuilt = (...sessions: readonly RecordedSession[]) => {
    const orders = new OrdersFromEvents({ keyedHash: (text) => sha256(text) });
    for (const each of sessions) orders.read(each);
    return orders.rebuilt();
  };

  test("that were begun stay claimed; no server goes on unasked with what a person may have broken off", () => {
    expect(rebuilt(session(flow, started())).orders).toMatchObject([{ session_id: null, result: null }]);
    for (const through of [
      session({ ...flow, authenticated_by: "api_key" }, started()),
      session(flow, started({ idempotency_key: "once" })),
    ])
      expect(rebuilt(through).orders).toMatchObject([{ session_id: through.session_id, result: null }]);
  });

  test("that never began, children and forks are free; their numbers are not", () => {
    const child = session({ ...flow, parent_kind: "child", parent_session_id: "SES-x" }, started());
    const { orders, numbers } = rebuilt(session(flow), child);
    expect(orders).toEqual([]);
    expect([...numbers]).toEqual([["20261115", 7]]);
  });

  test("with a number that a caller made up do not use up the numbers of the day", () => {
    const odd = { work_order_id: "WO-20261115-999999999" };
    const rejected = {
      type: "wo.rejected",
      actor: "intake",
      payload: { ...odd, error: { code: "X", message: "x" } },
    } as const;
    expect(rebuilt(session({ work_order_id: "intake" }, rejected)).numbers.size).toBe(0);
  });
});

describe("the workspace's pool", () => {
  const budget: WritConfig["workspace_budget"] = { token_limit: 1_000, usd_limit: null, period: "day" };
  const work_order_id = "WO-20261115-007";
  const change = (action: string, amount: object) =>
    ({
      type: "budget.updated",
      actor: "budget",
      payload: { action, work_order_id, input_tokens: 0, output_tokens: 0, usd: 0, turns: 0, ...amount },
    }) as unknown as EventInput;
  const allocated = change("allocate", { input_tokens: 500, left: { tokens: 500, turns: 1 } });
  const inFlight = change("reserve", { reservation_id: "r", input_tokens: 20, output_tokens: 80 });
  const spent = (limits: typeof budget, ...sessions: readonly RecordedSession[]) => {
    const shares = new SharesFromEvents(limits);
    for (const each of sessions) shares.read(each);
    return shares.rebuilt().map(({ pool_id, tokens }) => [pool_id, tokens]);
  };
  const flow = { framework_id: "FMWK-005", work_order_id };

  test("has lost what an ended order used with its children, and of an open one also what was in flight", () => {
    const ended = session(flow, allocated, change("release", { input_tokens: 10, left: { tokens: 380, turns: 0 } }));
    expect(spent(budget, ended)).toEqual([["workspace/2026-11-15", 120]]);
    const parent = session(flow, allocated, inFlight);
    const child = session({ ...flow, parent_kind: "child", parent_session_id: parent.session_id }, allocated, inFlight);
    expect(spent(budget, parent, child)).toEqual([["workspace/2026-11-15", 200]]);
    expect(spent({ ...budget, token_limit: null }, ended)).toEqual([]);
  });
});
