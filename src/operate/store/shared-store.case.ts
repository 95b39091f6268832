import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Result } from "#core/values";
import type { StoredToolPin } from "#effects";
import type { StoredApiKey, StoredApproval } from "#people";
import { type ManualClock, manualClock } from "../../core/values/manual-clock.ts";
import type { OrderClaim } from "../../work/orders/store/order-store.ts";
import type { SharedStore } from "./shared-store.ts";

export interface SharedStoreCase {
  /** A store on this clock. Opened again under the same name, it finds what was there, and shares it. */
  open(name: string, clock: ManualClock): Promise<SharedStore>;
}

const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
};
const code = (result: Result<unknown>): string => (result.ok ? "ok" : result.error.code);
let made = 0;

/** What every driver of the shared store keeps, for two processes at once. */
export function sharedStoreCases(driver: string, cases: SharedStoreCase): void {
  describe(`the shared store on ${driver}`, () => {
    let [one, two]: [SharedStore, SharedStore] = [] as never;
    let clock: ManualClock;
    beforeEach(async () => {
      clock = manualClock();
      made += 1;
      const name = `shared-${made}`;
      [one, two] = [await cases.open(name, clock), await cases.open(name, clock)];
    });
    afterEach(async () => {
      await one.close();
      await two.close();
    });

    test("no two processes get the same number of a day", async () => {
      const taken = await Promise.all(
        Array.from({ length: 20 }, async (_, index) =>
          must(await (index % 2 ? one : two).takeWorkOrderNumbers("20261115", 2)),
        ),
      );
      expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => 1 + 2 * index));
      expect(must(await one.takeWorkOrderNumbers("20261116", 1))).toBe(1);
    });

    const pool = { pool_id: "workspace", token_limit: 100, usd_limit: 1 };
    const share = (session_id: string, tokens: number, usd = 0) => ({ session_id, work_order_id: "WO-1", tokens, usd });

    test("the shares of a pool never exceed it, however many ask at once", async () => {
      const asked = await Promise.all(
        Array.from({ length: 12 }, async (_, index) =>
          code(await (index % 2 ? one : two).takeBudgetShare(pool, share(`S${index}`, 30))),
        ),
      );
      expect(asked.filter((answer) => answer === "ok")).toHaveLength(3);
      expect(new Set(asked)).toEqual(new Set(["ok", "BUDGET_EXHAUSTED"]));
      expect(code(await one.takeBudgetShare(pool, share("money", 1, 1.01)))).toBe("BUDGET_EXHAUSTED");
    });

    test("what is left of a share is free again once it is settled, and settling twice changes nothing", async () => {
      expect(must(await one.takeBudgetShare(pool, share("S1", 100, 1)))).toBe("workspace");
      expect(must(await two.openBudgetShares("S1"))).toEqual([{ pool_id: "workspace", work_order_id: "WO-1" }]);
      must(await two.settleBudgetShare("workspace", share("S1", 40, 0.5)));
      must(await one.settleBudgetShare("workspace", share("S1", 0)));
      must(await one.settleBudgetShare("workspace", share("never taken", 0)));
      expect(must(await one.openBudgetShares("S1"))).toEqual([]);
      expect(code(await one.takeBudgetShare(pool, share("S2", 61)))).toBe("BUDGET_EXHAUSTED");
      expect(code(await one.takeBudgetShare(pool, share("S2", 60, 0.5)))).toBe("ok");
    });

    test("a session that goes on takes its share again, in the pool of the first time", async () => {
      must(await one.takeBudgetShare(pool, share("S1", 80)));
      must(await one.settleBudgetShare("workspace", share("S1", 50)));
      expect(must(await two.takeBudgetShare({ ...pool, pool_id: "tomorrow" }, share("S1", 90)))).toBe("workspace");
      expect(code(await two.takeBudgetShare(pool, share("S2", 11)))).toBe("BUDGET_EXHAUSTED");
    });

    const claim = (id: string, more: Partial<OrderClaim> = {}): OrderClaim => ({
      work_order_id: id,
      idempotency_key: null,
      order_hash: "h",
      session_id: `SES-${id}`,
      ...more,
    });

    test("an order is claimed once; later claims learn what became of it", async () => {
      const states = await Promise.all(
        [one, two, one, two].map(async (store) => must(await store.claimOrders([claim("A")]))[0]?.state),
      );
      expect(states.filter((state) => state === "new")).toHaveLength(1);
      expect(states.filter((state) => state === "running")).toHaveLength(3);
      expect(must(await one.claimOrders([claim("A", { order_hash: "other" }), claim("B"), claim("B")]))).toMatchObject([
        { state: "different", work_order_id: "A" },
        { state: "new" },
        { state: "running", work_order_id: "B", session_id: "SES-B" },
      ]);
      must(await two.finishOrders([{ work_order_id: "A", result: "first" }]));
      must(await two.finishOrders([{ work_order_id: "A", result: "second" }]));
      expect(must(await one.claimOrders([claim("A")]))).toEqual([
        { state: "done", work_order_id: "A", result: "first" },
      ]);
    });

    test("an order that was rejected is claimed anew under its id, once; with a key only if it was corrected", async () => {
      const rejected = JSON.stringify({ status: "rejected" });
      must(await one.claimOrders([claim("A"), claim("K", { idempotency_key: "k" }), claim("B")]));
      must(await one.finishOrders(["A", "K"].map((work_order_id) => ({ work_order_id, result: rejected }))));
      must(await one.finishOrders([{ work_order_id: "B", result: JSON.stringify({ status: "failure" }) }]));
      const corrected = (id: string, more: Partial<OrderClaim> = {}) => claim(id, { order_hash: "other", ...more });
      expect(must(await two.claimOrders([claim("K", { idempotency_key: "k" })]))).toMatchObject([{ state: "done" }]);
      const states = await Promise.all(
        [one, two].map(async (store) => must(await store.claimOrders([corrected("A"), corrected("B")]))),
      );
      expect(new Set(states.map(([a]) => a?.state))).toEqual(new Set(["new", "running"]));
      expect(states.map(([, b]) => b?.state)).toEqual(["different", "different"]);
      expect(must(await two.claimOrders([corrected("K", { idempotency_key: "k" })]))).toEqual([{ state: "new" }]);
    });

    test("a link is used by as many orders as it says, however many ask at once; an order uses it once", async () => {
      const link = { link_hash: "l", uses: 3 };
      const asked = await Promise.all(
        Array.from({ length: 10 }, async (_, index) =>
          must(await (index % 2 ? one : two).takeGrantUses(`WO-${index}`, [link])),
        ),
      );
      expect(asked.filter((spent) => spent === null)).toHaveLength(3);
      const used = `WO-${asked.indexOf(null)}`;
      expect(must(await one.takeGrantUses(used, [link]))).toBeNull();
      const other = { link_hash: "m", uses: 1 };
      expect(must(await two.takeGrantUses("WO-new", [other, link]))).toBe("l");
      expect(must(await two.takeGrantUses("WO-newer", [other]))).toBeNull(); // of the refused order no use was taken
    });

    test("an idempotency key names the order that had it first", async () => {
      must(await one.claimOrders([claim("A", { idempotency_key: "k" })]));
      expect(must(await two.claimOrders([claim("B", { idempotency_key: "k" })]))).toMatchObject([
        { state: "running", work_order_id: "A" },
      ]);
    });

    test("a text with U+0000 is refused, however deep it stands, on every store alike", async () => {
      const no = "MALFORMED_INPUT";
      const claims = [claim("A"), claim("B", { idempotency_key: "k\0" })];
      const refused = await one.claimOrders(claims);
      expect(refused).toMatchObject({
        error: {
          code: no,
          retryable: false,
          message: expect.stringContaining("idempotency_key holds the character U+0000"),
        },
      });
      expect(must(await two.findOrder("A"))).toBeUndefined();
      expect(code(await one.halt({ session_id: null, by: "ada", reason: "\0", grants: null }))).toBe(no);
      expect(code(await one.findOrder("\0"))).toBe(no);
      expect(must(await two.halts())).toEqual([]);
    });

    test("an order that never acted is forgotten; one with a result is not", async () => {
      must(await one.claimOrders([claim("A"), claim("B")]));
      must(await one.finishOrders([{ work_order_id: "B", result: "r" }]));
      must(await two.forgetOrder("A"));
      must(await two.forgetOrder("B"));
      expect(must(await one.claimOrders([claim("A"), claim("B")])).map(({ state }) => state)).toEqual(["new", "done"]);
    });

    test("a halt stands until it is lifted; the first reason stays", async () => {
      must(await one.halt({ session_id: "S1", by: "ada", reason: "first", grants: ["read"] }));
      must(await two.halt({ session_id: "S1", by: "eve", reason: "second", grants: ["*"] }));
      must(await two.halt({ session_id: null, by: "ada", reason: "all", grants: null }));
      const standing = must(await one.halts());
      expect(standing).toHaveLength(2);
      expect(standing).toContainEqual(expect.objectContaining({ session_id: "S1", by: "ada", reason: "first" }));
      expect(standing).toContainEqual(expect.objectContaining({ session_id: null, reason: "all" }));
      const of = (session_id: string | null) => standing.filter((each) => each.session_id === session_id);
      expect(of("S1")).toMatchObject([{ grants: ["read"] }]);
      expect(must(await two.liftHalts(of("S1")))).toBe(1);
      expect(must(await two.liftHalts(of("S1")))).toBe(0);
      must(await two.halt({ session_id: null, by: "eve", reason: "more", grants: ["*"] }, { replaces: true }));
      expect(must(await one.liftHalts(of(null)))).toBe(0); // it was ordered anew since
      expect(must(await one.halts())).toMatchObject([{ session_id: null, by: "eve", grants: ["*"] }]);
      expect(must(await one.liftHalts(must(await one.halts())))).toBe(1);
      expect(must(await two.halts())).toEqual([]);
    });

    test("approvals of tools are given, changed and taken back together", async () => {
      const pin = (tool: string, hash: string): StoredToolPin => ({
        server: "s",
        tool,
        name: `s.${tool}`,
        hash,
        launch: "{}",
        definition: "{}",
        approved_at: "2026-11-15T00:00:00.000Z",
        approved_by: "ada",
      });
      must(await one.changeToolPins({ put: [pin("a", "1"), pin("b", "1")], drop: [] }));
      must(await two.changeToolPins({ put: [pin("a", "2")], drop: [{ server: "s", tool: "b" }] }));
      expect(must(await one.toolPins())).toEqual([pin("a", "2")]);
    });

    test("two processes draw on the same rate, and what one gives back the other gets", async () => {
      const limits = { requests_per_minute: 60, tokens_per_minute: 1_000, burst: 10, cooldown_seconds: 0 };
      const take = async (store: SharedStore, returned = { requests: 0, tokens: 0 }) =>
        must(
          await store.takeRate("workspace", limits, {
            returned,
            least: { requests: 1, tokens: 100 },
            most: { requests: 6, tokens: 600 },
          }),
        );
      expect(await take(one)).toEqual({ granted: { requests: 6, tokens: 600 } });
      expect(await take(two)).toEqual({ granted: { requests: 4, tokens: 400 } });
      expect(await take(two)).toEqual({ wait_ms: 6_000 });
      expect(await take(one, { requests: 3, tokens: 200 })).toEqual({ granted: { requests: 3, tokens: 200 } });
      clock.advance(6_000);
      expect(await take(two)).toEqual({ granted: { requests: 6, tokens: 100 } });
    });

    test("a request's key is claimed once and keeps its answer", async () => {
      const asked = { name: "n", request_hash: "h", subject: "first", claimed_at: "2026-11-15T00:00:00.000Z" };
      expect(must(await one.claimRequestKey(asked))).toMatchObject({ state: "new", subject: "first" });
      expect(must(await two.claimRequestKey({ ...asked, subject: "second" }))).toMatchObject({
        state: "begun",
        subject: "first",
      });
      expect(must(await two.claimRequestKey({ ...asked, request_hash: "x" }))).toEqual({ state: "different" });
      must(await one.finishRequestKey({ name: "n", status: 201, answer: "{}" }));
      expect(must(await two.claimRequestKey(asked))).toEqual({ state: "done", status: 201, answer: "{}" });
    });

    test("a refused request may be asked for again under the same name, keeps no answer from anybody, and goes when it is old", async () => {
      const asked = { name: "n", request_hash: "h", subject: "first", claimed_at: "2026-01-01T00:00:00.000Z" };
      const again = { ...asked, subject: "second" };
      must(await one.claimRequestKey(asked));
      must(await one.refuseRequestKey("n"));
      expect(must(await two.claimRequestKey(again))).toMatchObject({ state: "begun", subject: "first" });
      must(await two.finishRequestKey({ name: "n", status: 201, answer: "{}" }));
      must(await one.refuseRequestKey("n")); // late: another request has taken the key since
      expect(must(await one.claimRequestKey(again))).toEqual({ state: "done", status: 201, answer: "{}" });
      must(await one.claimRequestKey({ ...asked, name: "refused" }));
      must(await one.refuseRequestKey("refused"));
      expect(must(await two.prune("2026-06-01T00:00:00.000Z", 9))).toMatchObject({ request_keys: 2 });
    });

    test("an API key is found by its id until it is revoked, and stays on record", async () => {
      const key: StoredApiKey = {
        key_id: "K1",
        key_sha256: "h",
        caller_id: "ada",
        scope: ["runs.read"],
        note: "ci",
        created_at: "2026-11-15T00:00:00.000Z",
        created_by: "ada",
        expires_at: null,
        revoked_at: null,
        revoked_by: null,
      };
      must(await one.addApiKey(key));
      must(await one.addApiKey({ ...key, key_id: "K2", scope: null }));
      expect(must(await two.findApiKey("K1"))).toEqual(key);
      expect(must(await two.findApiKey("K3"))).toBeUndefined();
      const revoked = { revoked_at: "2026-11-16T00:00:00.000Z", revoked_by: "eve" };
      expect(must(await two.revokeApiKey("K1", revoked))).toBe(true);
      expect(must(await one.revokeApiKey("K1", revoked))).toBe(false);
      expect(must(await one.apiKeys())).toEqual([
        { ...key, ...revoked },
        { ...key, key_id: "K2", scope: null },
      ]);
    });

    test("orders that were claimed are found, and among them those that have no result", async () => {
      const claim = (work_order_id: string) => ({
        work_order_id,
        idempotency_key: null,
        order_hash: "h",
        session_id: "S",
      });
      must(await one.claimOrders([claim("WO-1")]));
      must(await one.claimOrders([claim("WO-2")]));
      must(await one.finishOrders([{ work_order_id: "WO-1", result: "{}" }]));
      expect(must(await two.unfinishedOrders(10))).toMatchObject([
        { work_order_id: "WO-2", session_id: "S", result: null },
      ]);
      must(await one.claimOrders([claim("WO-4"), claim("WO-3"), claim("WO-5")]));
      const pages: string[] = [];
      for (let after: Awaited<ReturnType<typeof page>>; ; ) {
        after = await page(after);
        if (!after) break;
        pages.push(after.work_order_id);
      }
      async function page(after: { claimed_at: string; work_order_id: string } | undefined) {
        return must(await two.unfinishedOrders(1, after))[0];
      }
      expect(pages.toSorted()).toEqual(["WO-2", "WO-3", "WO-4", "WO-5"]); // each once, whatever was claimed at once
      expect(must(await two.findOrder("WO-1"))).toMatchObject({ result: "{}" });
      expect(must(await two.findOrder("WO-9"))).toBeUndefined();
    });

    test("a question is there once, is decided once, for what it is about and in time", async () => {
      const asked = (approval_id: string, created_at: string): StoredApproval => ({
        approval_id,
        kind: "tool_call",
        title: "t",
        reason: "r",
        author: "ada",
        session_id: "S1",
        run_id: null,
        subject: "{}",
        subject_hash: "h",
        choices: ["approve", "deny"],
        created_at,
        expires_at: "2026-11-16",
        decision: null,
      });
      const decision = { choice: "approve", by: "bob", reason: "", result: '{"a":1}' };
      const at = "2026-11-15";
      must(await one.addApproval(asked("A", "1")));
      must(await one.addApproval(asked("B", "2")));
      expect(must(await two.addApproval({ ...asked("A", "9"), title: "another" }))).toEqual(asked("A", "1"));
      const ids = async (query: object) =>
        must(await two.approvals({ limit: 10, ...query })).map(({ approval_id }) => approval_id);
      expect([await ids({}), await ids({ before: "B" }), await ids({ session_id: "S2" })]).toEqual([
        ["B", "A"],
        ["A"],
        [],
      ]);
      const said = { approval_id: "A", subject_hash: "h", decision, at };
      expect(must(await two.storeDecision({ ...said, subject_hash: "other" }))).toBe(false);
      expect(must(await two.storeDecision({ ...said, at: "2026-11-17" }))).toBe(false);
      expect(must(await two.completeDecision({ approval_id: "A", choice: "approve", at }))).toBe(false); // none is pending
      const both = await Promise.all([one, two].map(async (store) => must(await store.storeDecision(said))));
      expect(both.filter(Boolean)).toHaveLength(1);
      expect(must(await one.findApproval("A"))?.decision).toEqual({ ...decision, at: null });
      expect([await ids({ decided: true }), await ids({ decided: false })]).toEqual([[], ["B", "A"]]);
      expect(must(await two.withdrawDecision({ approval_id: "A", choice: "deny" }))).toBe(false);
      expect(must(await two.withdrawDecision({ approval_id: "A", choice: "approve" }))).toBe(true);
      expect(must(await one.findApproval("A"))?.decision).toBeNull();
      expect(must(await one.storeDecision(said))).toBe(true);
      expect(must(await two.completeDecision({ approval_id: "A", choice: "deny", at }))).toBe(false); // another is pending
      expect(must(await two.completeDecision({ approval_id: "A", choice: "approve", at: "2026-11-18" }))).toBe(true);
      expect(must(await two.completeDecision({ approval_id: "A", choice: "approve", at: "2026-11-19" }))).toBe(false);
      expect(must(await two.withdrawDecision({ approval_id: "A", choice: "approve" }))).toBe(false);
      expect(must(await one.findApproval("A"))?.decision).toEqual({ ...decision, at: "2026-11-18" });
      expect([await ids({ decided: true }), await ids({ decided: false })]).toEqual([["A"], ["B"]]);
      expect(must(await one.findApproval("C"))).toBeUndefined();
    });

    test("what ended long ago is let go of in bounded shares; what is open stays, whatever its age", async () => {
      const key = (name: string, claimed_at: string) => ({ name, request_hash: "h", subject: "s", claimed_at });
      for (const [name, at] of [
        ["old-1", "2026-01-01"],
        ["old-2", "2026-01-02"],
        ["open", "2026-01-01"],
        ["new", "2026-11-15"],
      ] as const) {
        must(await one.claimRequestKey(key(name, at)));
        if (name !== "open") must(await one.finishRequestKey({ name, status: 201, answer: "{}" }));
      }
      const order = (id: string) => ({
        work_order_id: id,
        idempotency_key: `k-${id}`,
        order_hash: "h",
        session_id: "S",
      });
      must(await one.claimOrders([order("WO-done"), order("WO-open")]));
      must(await one.finishOrders([{ work_order_id: "WO-done", result: "{}" }]));
      const before = "2026-06-01T00:00:00.000Z";
      expect(must(await two.prune(before, 1))).toEqual({
        request_keys: 1,
        work_orders: 0,
        contexts: 0,
        sealed_values: 0,
      });
      expect(must(await two.prune(before, 1))).toEqual({
        request_keys: 1,
        work_orders: 0,
        contexts: 0,
        sealed_values: 0,
      });
      expect(must(await two.prune(before, 1))).toEqual({
        request_keys: 0,
        work_orders: 0,
        contexts: 0,
        sealed_values: 0,
      });
      const state = async (name: string) => must(await one.claimRequestKey(key(name, "2026-11-15"))).state;
      expect([await state("old-1"), await state("open"), await state("new")]).toEqual(["new", "begun", "done"]);
      expect(must(await two.prune("9999-01-01T00:00:00.000Z", 9))).toMatchObject({ request_keys: 1, work_orders: 1 });
      const claimed = must(await two.claimOrders([order("WO-done"), order("WO-open")]));
      expect(claimed.map(({ state: found }) => found)).toEqual(["new", "running"]);
    });
  });
}
