import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createIds,
  type IdSource,
  type ManualClock,
  manualClock,
  type PatchId,
  type Result,
  type RevisionId,
  type RunId,
  seededRandom,
  type WorkId,
} from "#base";
import type { Command, CommandKind, CommandOf, Outcomes, TurnClaim, WorkRequest } from "../commands.ts";
import type { Lease } from "../records.ts";
import type { KernelStore } from "./port.ts";

export interface StoreCase {
  /** A new, empty store on this clock. Opened again under the same name, it finds what was there. */
  open(name: string, clock: ManualClock, tenant?: string): Promise<KernelStore>;
}

const hash = "a".repeat(64);

/** What every driver of the kernel store keeps. */
export function kernelStoreCases(name: string, driver: StoreCase): void {
  describe(`the kernel store on ${name}`, () => {
    let clock: ManualClock;
    let ids: IdSource;
    let store: KernelStore;
    let file = 0;
    const opened: KernelStore[] = [];

    const open = async (which: string, tenant?: string): Promise<KernelStore> => {
      const made = await driver.open(which, clock, tenant);
      opened.push(made);
      return made;
    };

    beforeEach(async () => {
      clock = manualClock();
      ids = createIds(clock, seededRandom(7));
      file += 1;
      store = await open(`case-${file}`);
    });

    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
    });

    const say = async <K extends CommandKind>(command: CommandOf<K>, to = store): Promise<Result<Outcomes[K]>> => {
      const report = await to.commit([command as Command]);
      if (!report.ok) return report;
      return report.value.results[0] as Result<Outcomes[K]>;
    };
    const must = <T>(result: Result<T>): T => {
      if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
      return result.value;
    };
    const code = (result: Result<unknown>): string => (result.ok ? "ok" : result.error.code);
    const start = async (app = "demo", runId = ids.runId()): Promise<RunId> => {
      must(
        await say<"start_run">({ kind: "start_run", run_id: runId, app_id: app, objective: "grow", actor_id: "ada" }),
      );
      return runId;
    };
    const request = (capability: string, more: Partial<WorkRequest> = {}): WorkRequest => ({
      work_id: ids.workId(),
      capability,
      objective: "do it",
      depends_on: [],
      idempotency_key: null,
      ...more,
    });
    const ask = async (run_id: RunId, work: readonly WorkRequest[]): Promise<readonly WorkId[]> =>
      must(await say<"request_work">({ kind: "request_work", run_id, actor_id: "demo", work }));
    const claim = async (
      capabilities: readonly string[],
      limit = 10,
      owner = "w1",
      to = store,
    ): Promise<readonly Lease[]> =>
      must(
        await say<"claim_work">({ kind: "claim_work", capabilities, limit, lease_owner: owner, lease_ms: 1_000 }, to),
      );
    const complete = (lease: Lease) => say<"complete_work">({ kind: "complete_work", lease, patches: [] });
    const turn = async (limit = 1): Promise<readonly TurnClaim[]> =>
      must(await say<"claim_turn">({ kind: "claim_turn", app_ids: ["demo"], turn_owner: "c1", turn_ms: 1_000, limit }));
    const statusOf = async (run: RunId): Promise<readonly string[]> =>
      must(await store.read.workItems(run)).map((item) => item.status);
    const eventsOf = async (run: RunId): Promise<readonly string[]> =>
      must(await store.read.events(run, { after: 0, limit: 1_000 })).map((event) => event.event_type);

    test("a run is there after the store is opened again", async () => {
      const run = await start();
      await store.close();
      opened.splice(0);
      store = await open(`case-${file}`);
      const read = must(await store.read.run(run));
      expect(read).toMatchObject({ run_id: run, status: "active", close_reason: null, head_revision_id: null });
      expect(await eventsOf(run)).toEqual(["run.started"]);
    });

    test("an unknown run is NOT_FOUND, to read and to write", async () => {
      const stranger = ids.runId();
      expect(code(await store.read.run(stranger))).toBe("NOT_FOUND");
      expect(code(await say<"pause_run">({ kind: "pause_run", run_id: stranger, actor_id: "ada" }))).toBe("NOT_FOUND");
    });

    test("work is leased by capability, higher priority first, then in order of arrival", async () => {
      const run = await start();
      const [first, second, urgent, other] = await ask(run, [
        request("write"),
        request("write"),
        request("write", { priority: 5 }),
        request("read"),
      ]);
      const leases = await claim(["write"]);
      expect(leases.map((lease) => lease.work_id)).toEqual([urgent, first, second]);
      expect((await claim(["read"])).map((lease) => lease.work_id)).toEqual([other]);
      expect(await claim(["write", "read"])).toEqual([]);
    });

    test("priority is looked at across all capabilities of a worker", async () => {
      const run = await start();
      const [low, high] = await ask(run, [request("a"), request("b", { priority: 9 })]);
      expect((await claim(["a", "b"], 1)).map((lease) => lease.work_id)).toEqual([high]);
      expect((await claim(["a", "b"], 1)).map((lease) => lease.work_id)).toEqual([low]);
    });

    test("one batch is shared between runs, and the next batch goes on with those that had less", async () => {
      const greedy = await start();
      await ask(
        greedy,
        Array.from({ length: 200 }, () => request("c")),
      );
      const small = [await start(), await start(), await start()];
      for (const run of small) await ask(run, [request("c"), request("c")]);
      const batch = await claim(["c"], 8);
      for (const run of [greedy, ...small]) expect(batch.filter((lease) => lease.run_id === run)).toHaveLength(2);
      const singles = new Set<string>();
      const again = [await start(), await start()];
      for (const run of again) await ask(run, [request("c")]);
      for (let i = 0; i < 3; i++) for (const lease of await claim(["c"], 1)) singles.add(lease.run_id);
      expect(singles).toEqual(new Set([greedy, ...again]));
    });

    test("a batch is filled from as many runs as it takes, and no lower priority goes before them", async () => {
      const background = await start();
      await ask(background, [request("c", { priority: -1 })]);
      for (let index = 0; index < 40; index++) await ask(await start(), [request("c")]);
      const batch = await claim(["c"], 40);
      expect(batch).toHaveLength(40);
      expect(batch.map((lease) => lease.run_id)).not.toContain(background);
      expect(await claim(["c"], 40)).toMatchObject([{ run_id: background }]);
    });

    test("a batch made of fewer runs than asked for is still filled", async () => {
      const big = await start();
      await ask(
        big,
        Array.from({ length: 50 }, () => request("c")),
      );
      const tiny = await start();
      await ask(tiny, [request("c")]);
      expect(await claim(["c"], 20)).toHaveLength(20);
    });

    test("work waits for its dependencies and is ready when the last one completes", async () => {
      const run = await start();
      const [a, b] = await ask(run, [request("c"), request("c")]);
      const [after] = await ask(run, [request("d", { depends_on: [a as string, b as string] })]);
      const leases = await claim(["c", "d"]);
      expect(leases.map((lease) => lease.work_id)).toEqual([a, b]);
      must(await complete(leases[0] as Lease));
      expect(await claim(["d"])).toEqual([]);
      must(await complete(leases[1] as Lease));
      expect((await claim(["d"])).map((lease) => lease.work_id)).toEqual([after]);
    });

    test("a dependency may be named by the key under which the run knows it", async () => {
      const run = await start();
      const [first] = await ask(run, [
        request("c", { idempotency_key: "research" }),
        request("c", { depends_on: ["research"] }),
      ]);
      expect((await claim(["c"])).map((lease) => lease.work_id)).toEqual([first]);
      expect(
        code(
          await say<"request_work">({
            kind: "request_work",
            run_id: run,
            actor_id: "demo",
            work: [request("c", { depends_on: ["nobody"] })],
          }),
        ),
      ).toBe("NOT_FOUND");
    });

    test("work that waits on failed work is canceled, with all that waits on it in turn", async () => {
      const run = await start();
      const [a] = await ask(run, [request("c")]);
      const [b] = await ask(run, [request("d", { depends_on: [a as string] })]);
      await ask(run, [request("e", { depends_on: [b as string] })]);
      const [lease] = await claim(["c"]);
      must(await say<"fail_work">({ kind: "fail_work", lease: lease as Lease, reason: "no" }));
      expect(await statusOf(run)).toEqual(["failed", "canceled", "canceled"]);
      await ask(run, [request("f", { depends_on: [b as string] })]);
      expect((await statusOf(run)).at(-1)).toBe("canceled");
    });

    test("the same key is the same work, however often it is asked for", async () => {
      const run = await start();
      const [one] = await ask(run, [request("c", { idempotency_key: "k" })]);
      const [two] = await ask(run, [request("c", { idempotency_key: "k" })]);
      const other = await start();
      const [three] = await ask(other, [request("c", { idempotency_key: "k" })]);
      expect(two).toBe(one);
      expect(three).not.toBe(one);
      expect(await statusOf(run)).toEqual(["queued"]);
    });

    test("only the run's own app may request work", async () => {
      const run = await start();
      const refused = await say<"request_work">({
        kind: "request_work",
        run_id: run,
        actor_id: "eve",
        work: [request("c")],
      });
      expect(code(refused)).toBe("NOT_AUTHORIZED");
    });

    test("work with a time is not handed out before it", async () => {
      const run = await start();
      await ask(run, [request("c", { not_before: clock.now() + 500 })]);
      expect(await claim(["c"])).toEqual([]);
      clock.advance(499);
      expect(await claim(["c"])).toEqual([]);
      clock.advance(1);
      expect(await claim(["c"])).toHaveLength(1);
    });

    test("a lease is over at the very millisecond of its end", async () => {
      const run = await start();
      await ask(run, [request("c"), request("c")]);
      const [one, two] = (await claim(["c"])) as [Lease, Lease];
      clock.advance(999);
      expect(code(await complete(one))).toBe("ok");
      clock.advance(1);
      expect(code(await complete(two))).toBe("LEASE_LOST");
    });

    test("a heartbeat keeps a lease, and cannot bring back a lost one", async () => {
      const run = await start();
      await ask(run, [request("c")]);
      const [lease] = (await claim(["c"])) as [Lease];
      clock.advance(900);
      must(await say<"extend_lease">({ kind: "extend_lease", lease, lease_ms: 1_000 }));
      clock.advance(900);
      expect(await statusOf(run)).toEqual(["leased"]);
      clock.advance(100);
      expect(code(await say<"extend_lease">({ kind: "extend_lease", lease, lease_ms: 1_000 }))).toBe("LEASE_LOST");
    });

    test("an expired lease returns to the queue until its retries are spent", async () => {
      const run = await start();
      await ask(run, [request("c", { max_retries: 2 })]);
      for (const retries of [0, 1, 2]) {
        const [lease] = (await claim(["c"])) as [Lease];
        expect(lease).toMatchObject({ retry_count: retries, lease_epoch: retries + 1 });
        clock.advance(1_000);
        must(await say<"sweep">({ kind: "sweep", limit: 10 }));
        clock.advance(60_000);
      }
      expect(await statusOf(run)).toEqual(["failed"]);
      expect(await claim(["c"])).toEqual([]);
      expect((await eventsOf(run)).filter((type) => type === "work.requeued")).toHaveLength(2);
    });

    test("a claim returns expired leases by itself: nobody has to sweep", async () => {
      const run = await start();
      await ask(run, [request("c")]);
      await claim(["c"]);
      clock.advance(1_000);
      expect(await claim(["c"])).toEqual([]); // requeued, and pausing before the next try
      clock.advance(1_000);
      expect(await claim(["c"])).toMatchObject([{ lease_epoch: 2 }]);
    });

    test("a worker that lost its lease cannot complete, submit or extend, also before somebody took over", async () => {
      const run = await start();
      await ask(run, [request("c")]);
      const [stale] = (await claim(["c"], 1, "zombie")) as [Lease];
      clock.advance(1_000);
      const patch = { patch_id: ids.patchId(), base_revision_id: null, ops: [{ op: "x" }] };
      const tries = async () => [
        code(await complete(stale)),
        code(await say<"extend_lease">({ kind: "extend_lease", lease: stale, lease_ms: 1_000 })),
        code(await say<"fail_work">({ kind: "fail_work", lease: stale, reason: "no" })),
        code(await say<"release_work">({ kind: "release_work", lease: stale, reason: "no" })),
        code(
          await say<"submit_patch">({
            kind: "submit_patch",
            run_id: run,
            author_kind: "worker",
            author_id: "zombie",
            patch,
            lease: stale,
          }),
        ),
      ];
      expect(new Set(await tries())).toEqual(new Set(["LEASE_LOST"]));
      must(await say<"sweep">({ kind: "sweep", limit: 10 }));
      clock.advance(1_000);
      const [fresh] = (await claim(["c"], 1, "zombie")) as [Lease]; // the same owner, another epoch
      expect(new Set(await tries())).toEqual(new Set(["LEASE_LOST"]));
      expect(code(await complete(fresh))).toBe("ok");
    });

    test("an answer that was lost may be asked for again", async () => {
      const run = await start();
      await ask(run, [request("c")]);
      const [lease] = (await claim(["c"])) as [Lease];
      expect(must(await complete(lease))).toEqual({ repeated: false });
      expect(must(await complete(lease))).toEqual({ repeated: true });
      expect((await eventsOf(run)).filter((type) => type === "work.completed")).toHaveLength(1);
    });

    test("a lease handed back expires at once", async () => {
      const run = await start();
      await ask(run, [request("c")]);
      const [lease] = (await claim(["c"])) as [Lease];
      must(await say<"release_work">({ kind: "release_work", lease, reason: "shutting down" }));
      clock.advance(1_000);
      expect(await claim(["c"])).toMatchObject([{ lease_epoch: 2, retry_count: 1 }]);
    });

    test("a paused run keeps its leases and gives out nothing new", async () => {
      const run = await start();
      await ask(run, [request("c"), request("c")]);
      const [lease] = (await claim(["c"], 1)) as [Lease];
      must(await say<"pause_run">({ kind: "pause_run", run_id: run, actor_id: "ada" }));
      expect(await claim(["c"])).toEqual([]);
      expect(await turn()).toEqual([]);
      expect(code(await complete(lease))).toBe("ok");
      must(await say<"continue_run">({ kind: "continue_run", run_id: run, actor_id: "ada" }));
      expect(await claim(["c"])).toHaveLength(1);
      expect(await turn()).toHaveLength(1);
    });

    test("what a batch makes ready, a claim of the same batch leases", async () => {
      const run = await start();
      const report = must(
        await store.commit([
          { kind: "claim_work", capabilities: ["c"], limit: 5, lease_owner: "w", lease_ms: 1_000 },
          { kind: "request_work", run_id: run, actor_id: "demo", work: [request("c")] },
        ]),
      );
      expect(must(report.results[0] as Result<readonly Lease[]>)).toHaveLength(1);
    });

    test("two claims of one batch never share an item", async () => {
      const run = await start();
      await ask(
        run,
        Array.from({ length: 3 }, () => request("c")),
      );
      const command = { kind: "claim_work", capabilities: ["c"], limit: 2, lease_owner: "w", lease_ms: 1_000 } as const;
      const report = must(await store.commit([command, command]));
      const leased = report.results.flatMap((result) => must(result as Result<readonly Lease[]>));
      expect(leased).toHaveLength(3);
      expect(new Set(leased.map((lease) => lease.work_id)).size).toBe(3);
    });

    test("a refused command leaves its neighbours in the batch alone", async () => {
      const run = await start();
      await ask(run, [request("c")]);
      const [lease] = (await claim(["c"])) as [Lease];
      const report = must(
        await store.commit([
          { kind: "complete_work", lease: { ...lease, lease_epoch: 99 }, patches: [] },
          { kind: "complete_work", lease, patches: [] },
        ]),
      );
      expect(report.results.map(code)).toEqual(["LEASE_LOST", "ok"]);
    });

    const revise = (claimed: TurnClaim, more: object = {}) =>
      say<"apply_turn">({
        kind: "apply_turn",
        turn: claimed,
        up_to_seq: claimed.up_to_seq,
        actions: [
          {
            type: "create_revision",
            revision_id: ids.revisionId(),
            parent_revision_id: claimed.head_revision_id,
            applied_patch_ids: [],
            rejected_patch_ids: [],
            rejections: [],
            document_ref: { sha256: hash },
            ...more,
          },
        ],
      });
    const submitPatch = async (run: RunId): Promise<PatchId> => {
      const patch_id = ids.patchId();
      must(
        await say<"submit_patch">({
          kind: "submit_patch",
          run_id: run,
          author_kind: "user",
          author_id: "ada",
          patch: { patch_id, base_revision_id: null, ops: [{ op: "x" }] },
        }),
      );
      return patch_id;
    };

    test("a revision is created on the head, and on nothing else", async () => {
      const run = await start();
      const [first] = (await turn()) as [TurnClaim];
      expect(code(await revise(first, { parent_revision_id: "REV-elsewhere" as RevisionId }))).toBe(
        "REVISION_CONFLICT",
      );
      must(await revise(first));
      await submitPatch(run);
      const [second] = (await turn()) as [TurnClaim];
      expect(second.head_revision_id).not.toBeNull();
      expect(code(await revise(second, { parent_revision_id: null }))).toBe("REVISION_CONFLICT");
      must(await revise(second));
      const chain = must(await store.read.revisions(run));
      expect(chain[1]?.parent_revision_id).toBe(chain[0]?.revision_id);
      expect(must(await store.read.run(run)).head_revision_id).toBe(chain[1]?.revision_id);
    });

    test("a patch goes into one revision at most, applied or rejected", async () => {
      const run = await start();
      const [applied, rejected] = [await submitPatch(run), await submitPatch(run)];
      const [first] = (await turn()) as [TurnClaim];
      must(
        await revise(first, {
          applied_patch_ids: [applied],
          rejected_patch_ids: [rejected],
          rejections: [{ patch_id: rejected, reason: "stale" }],
        }),
      );
      await submitPatch(run);
      const [second] = (await turn()) as [TurnClaim];
      expect(code(await revise(second, { applied_patch_ids: [applied] }))).toBe("PATCH_ALREADY_APPLIED");
      expect(code(await revise(second, { applied_patch_ids: [rejected] }))).toBe("PATCH_ALREADY_APPLIED");
      const patches = must(await store.read.patches(run));
      expect(patches[0]?.applied_in_revision_id).not.toBeNull();
      expect(patches[1]).toMatchObject({ applied_in_revision_id: null });
      expect(must(await store.read.unappliedPatchIds(run, 10))).toHaveLength(1);
    });

    test("a turn is claimed once, and only when there is something new", async () => {
      const run = await start();
      const [claimed] = (await turn(5)) as [TurnClaim];
      expect(await turn(5)).toEqual([]);
      must(
        await say<"apply_turn">({
          kind: "apply_turn",
          turn: claimed,
          up_to_seq: claimed.up_to_seq,
          actions: [{ type: "noop" }],
        }),
      );
      expect(await turn(5)).toEqual([]);
      clock.advance(3_600_000);
      expect(await turn(5)).toEqual([]);
      await submitPatch(run);
      expect(await turn(5)).toMatchObject([{ turn_epoch: 2 }]);
    });

    test("what happens during a turn is the next turn's business", async () => {
      const run = await start();
      const [claimed] = (await turn()) as [TurnClaim];
      await submitPatch(run);
      must(await say<"apply_turn">({ kind: "apply_turn", turn: claimed, up_to_seq: claimed.up_to_seq, actions: [] }));
      expect(await turn()).toMatchObject([{ seen_seq: claimed.up_to_seq }]);
    });

    test("a batch of actions is applied whole or not at all", async () => {
      const run = await start();
      const [claimed] = (await turn()) as [TurnClaim];
      const refused = await say<"apply_turn">({
        kind: "apply_turn",
        turn: claimed,
        up_to_seq: claimed.up_to_seq,
        actions: [
          { type: "request_work", ...request("c") },
          { type: "close_run", reason: "completed" },
        ],
      });
      expect(code(refused)).toBe("RUN_HAS_OPEN_WORK");
      expect(await statusOf(run)).toEqual([]);
      expect(must(await store.read.run(run)).status).toBe("active");
    });

    test("closing as completed needs all work ended; closing as failed cancels what is open", async () => {
      const run = await start();
      const [first] = (await turn()) as [TurnClaim];
      must(
        await say<"apply_turn">({
          kind: "apply_turn",
          turn: first,
          up_to_seq: first.up_to_seq,
          actions: [
            { type: "request_work", ...request("c") },
            { type: "request_work", ...request("c") },
          ],
        }),
      );
      const [lease] = (await claim(["c"], 1)) as [Lease];
      await submitPatch(run);
      const [second] = (await turn()) as [TurnClaim];
      const close = (reason: "completed" | "blocked" | "failed") =>
        say<"apply_turn">({
          kind: "apply_turn",
          turn: second,
          up_to_seq: second.up_to_seq,
          actions: [{ type: "close_run", reason }],
        });
      expect(code(await close("completed"))).toBe("RUN_HAS_OPEN_WORK");
      expect(code(await close("blocked"))).toBe("RUN_HAS_OPEN_WORK");
      expect(code(await close("failed"))).toBe("ok");
      expect(await statusOf(run)).toEqual(["canceled", "canceled"]);
      expect(code(await complete(lease))).toBe("LEASE_LOST");
      expect(
        code(
          await say<"submit_patch">({
            kind: "submit_patch",
            run_id: run,
            author_kind: "user",
            author_id: "ada",
            patch: { patch_id: ids.patchId(), base_revision_id: null, ops: [{ op: "x" }] },
          }),
        ),
      ).toBe("RUN_CLOSED");
      expect((await eventsOf(run)).filter((type) => type === "run.closed")).toHaveLength(1);
    });

    test("a turn that ran out is not heard, counts as failed, and the app is asked again", async () => {
      const run = await start();
      const [late] = (await turn()) as [TurnClaim];
      clock.advance(1_000);
      const answer = () =>
        say<"apply_turn">({ kind: "apply_turn", turn: late, up_to_seq: late.up_to_seq, actions: [] });
      expect(code(await answer())).toBe("LEASE_LOST");
      expect(await turn()).toEqual([]); // failed now; the next try waits a little
      clock.advance(1_000);
      expect(await turn()).toMatchObject([{ turn_epoch: 2, turn_failures: 1 }]);
      expect(code(await answer())).toBe("LEASE_LOST");
      expect(await eventsOf(run)).toContain("app.turn.failed");
    });

    test("an app that fails again and again closes its run as failed, with the reason", async () => {
      const run = await start();
      for (let failures = 1; failures <= 5; failures++) {
        const [claimed] = (await turn()) as [TurnClaim];
        const failed = must(
          await say<"fail_turn">({ kind: "fail_turn", turn: claimed, code: "INTERNAL", reason: "boom" }),
        );
        expect(failed.closed).toBe(failures === 5);
        clock.advance(60_000);
      }
      expect(must(await store.read.run(run))).toMatchObject({ status: "closed", close_reason: "failed" });
      expect(must(await store.read.run(run)).close_message).toContain("boom");
    });

    test("every event has the next seq of its run, without a gap", async () => {
      const runs = [await start(), await start()];
      for (const run of runs) await ask(run, [request("c"), request("c")]);
      for (const lease of await claim(["c"])) must(await complete(lease));
      for (const run of runs) {
        const events = must(await store.read.events(run, { after: 0, limit: 100 }));
        expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
        expect(must(await store.read.events(run, { after: 3, limit: 2 })).map((event) => event.seq)).toEqual([4, 5]);
      }
    });

    test("a command cannot reach into another run", async () => {
      const [mine, other] = [await start(), await start()];
      await ask(mine, [request("c")]);
      const [lease] = (await claim(["c"])) as [Lease];
      const patch_id = await submitPatch(other);
      expect(code(await complete({ ...lease, run_id: other }))).toBe("NOT_FOUND");
      const [claimed] = (await turn(5)).filter((each) => each.run_id === mine) as [TurnClaim];
      expect(code(await revise(claimed, { applied_patch_ids: [patch_id] }))).toBe("NOT_FOUND");
    });

    test("one tenant sees nothing of another", async () => {
      const run = await start();
      await ask(run, [request("c")]);
      const other = await open(`case-${file}`, "other");
      expect(await claim(["c"], 5, "w", other)).toEqual([]);
      expect(code(await other.read.run(run))).toBe("NOT_FOUND");
      expect(must(await other.read.workItems(run))).toEqual([]);
      expect(must(await other.read.events(run, { after: 0, limit: 10 }))).toEqual([]);
      expect(code(await say<"cancel_run">({ kind: "cancel_run", run_id: run, actor_id: "eve" }, other))).toBe(
        "NOT_FOUND",
      );
    });

    test("a closed run can be archived: its rows go, the run stays and names where they are", async () => {
      const run = await start();
      await ask(run, [request("c")]);
      expect(must(await store.archive.mark(run, "sha256:x"))).toBe(false);
      must(await say<"cancel_run">({ kind: "cancel_run", run_id: run, actor_id: "ada" }));
      expect(must(await store.archive.mark(run, "sha256:x"))).toBe(true);
      while (!must(await store.archive.dropSome(run)));
      expect(await statusOf(run)).toEqual([]);
      expect(await eventsOf(run)).toEqual([]);
      expect(must(await store.read.run(run))).toMatchObject({ status: "closed", archive_ref: "sha256:x" });
      expect(must(await store.read.runs({ closedBefore: clock.now() + 1, limit: 5 }))).toEqual([]);
    });

    test("runs are listed newest first, page by page, by status", async () => {
      const runs = [await start(), await start(), await start()];
      must(await say<"cancel_run">({ kind: "cancel_run", run_id: runs[1] as RunId, actor_id: "ada" }));
      const ids_ = (list: readonly { run_id: string }[]) => list.map((run) => run.run_id);
      expect(ids_(must(await store.read.runs({ limit: 2 })))).toEqual([runs[2], runs[1]]);
      expect(ids_(must(await store.read.runs({ limit: 2, before: runs[1] as string })))).toEqual([runs[0]]);
      expect(ids_(must(await store.read.runs({ limit: 9, status: "closed" })))).toEqual([runs[1]]);
    });
  });
}
