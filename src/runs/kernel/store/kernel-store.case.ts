import { describe, expect, test } from "vitest";
import type { Result, RunId } from "#core/values";
import type { WorkRequest } from "../commands.ts";
import type { Lease } from "../records.ts";
import { code, must, type StoreCase, storeBench } from "./store-bench.case.ts";

/** The cases that every driver of the kernel store passes about runs, work and leases. */
export function kernelStoreCases(name: string, driver: StoreCase): void {
  describe(`work in the kernel store on ${name}`, () => {
    const bench = storeBench(driver);
    const { ask, claim, complete, eventsOf, request, say, start, statusOf, turn } = bench;

    test("a run is there after the store is opened again", async () => {
      const run = await start();
      await bench.reopen();
      const read = must(await bench.store.read.run(run));
      expect(read).toMatchObject({ run_id: run, status: "active", close_reason: null, head_revision_id: null });
      expect(await eventsOf(run)).toEqual(["run.started"]);
    });

    test("an unknown run is NOT_FOUND, to read and to write", async () => {
      const stranger = bench.ids.runId();
      expect(code(await bench.store.read.run(stranger))).toBe("NOT_FOUND");
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
      await ask(run, [request("c", { not_before: bench.clock.now() + 500 })]);
      expect(await claim(["c"])).toEqual([]);
      bench.clock.advance(499);
      expect(await claim(["c"])).toEqual([]);
      bench.clock.advance(1);
      expect(await claim(["c"])).toHaveLength(1);
    });

    test("a lease is over at the very millisecond of its end", async () => {
      const run = await start();
      await ask(run, [request("c"), request("c")]);
      const [one, two] = (await claim(["c"])) as [Lease, Lease];
      bench.clock.advance(999);
      expect(code(await complete(one))).toBe("ok");
      bench.clock.advance(1);
      expect(code(await complete(two))).toBe("LEASE_LOST");
    });

    test("a heartbeat keeps a lease, and cannot bring back a lost one", async () => {
      const run = await start();
      await ask(run, [request("c")]);
      const [lease] = (await claim(["c"])) as [Lease];
      bench.clock.advance(900);
      must(await say<"extend_lease">({ kind: "extend_lease", lease, lease_ms: 1_000 }));
      bench.clock.advance(900);
      expect(await statusOf(run)).toEqual(["leased"]);
      bench.clock.advance(100);
      expect(code(await say<"extend_lease">({ kind: "extend_lease", lease, lease_ms: 1_000 }))).toBe("LEASE_LOST");
    });

    test("an expired lease returns to the queue until its retries are spent", async () => {
      const run = await start();
      await ask(run, [request("c", { max_retries: 2 })]);
      for (const retries of [0, 1, 2]) {
        const [lease] = (await claim(["c"])) as [Lease];
        expect(lease).toMatchObject({ retry_count: retries, lease_epoch: retries + 1 });
        bench.clock.advance(1_000);
        must(await say<"sweep">({ kind: "sweep", limit: 10 }));
        bench.clock.advance(60_000);
      }
      expect(await statusOf(run)).toEqual(["failed"]);
      expect(await claim(["c"])).toEqual([]);
      expect((await eventsOf(run)).filter((type) => type === "work.requeued")).toHaveLength(2);
    });

    test("a claim returns expired leases to the queue without a sweep", async () => {
      const run = await start();
      await ask(run, [request("c")]);
      await claim(["c"]);
      bench.clock.advance(1_000);
      expect(await claim(["c"])).toEqual([]); // requeued, and pausing before the next try
      bench.clock.advance(1_000);
      expect(await claim(["c"])).toMatchObject([{ lease_epoch: 2 }]);
    });

    test("a worker that lost its lease cannot complete, submit or extend, even before another worker leases the item", async () => {
      const run = await start();
      await ask(run, [request("c")]);
      const [stale] = (await claim(["c"], 1, "zombie")) as [Lease];
      bench.clock.advance(1_000);
      const patch = { patch_id: bench.ids.patchId(), base_revision_id: null, ops: [{ op: "x" }] };
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
      bench.clock.advance(1_000);
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
      bench.clock.advance(1_000);
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
        await bench.store.commit([
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
      const report = must(await bench.store.commit([command, command]));
      const leased = report.results.flatMap((result) => must(result as Result<readonly Lease[]>));
      expect(leased).toHaveLength(3);
      expect(new Set(leased.map((lease) => lease.work_id)).size).toBe(3);
    });

    test("a refused command leaves its neighbours in the batch alone", async () => {
      const run = await start();
      await ask(run, [request("c")]);
      const [lease] = (await claim(["c"])) as [Lease];
      const report = must(
        await bench.store.commit([
          { kind: "complete_work", lease: { ...lease, lease_epoch: 99 }, patches: [] },
          { kind: "complete_work", lease, patches: [] },
        ]),
      );
      expect(report.results.map(code)).toEqual(["LEASE_LOST", "ok"]);
    });

    test("a name or a text with U+0000 is refused, only for its own command, on every store alike", async () => {
      const run = await start();
      const actor_id = "ada";
      const begin = (objective: string) =>
        ({ kind: "start_run", run_id: bench.ids.runId(), app_id: "demo", objective, actor_id }) as const;
      const requestWith = (more: Partial<WorkRequest>) =>
        ({ kind: "request_work", run_id: run, actor_id: "demo", work: [request("c", more)] }) as const;
      const report = must(
        await bench.store.commit([
          begin("a"),
          begin("b\0"),
          { kind: "pause_run", run_id: "\0" as RunId, actor_id },
          { kind: "cancel_run", run_id: run, actor_id, message: "\0" },
          requestWith({ objective: "\0" }),
          requestWith({ idempotency_key: "k\0" }),
          requestWith({ depends_on: ["\0"] }),
          requestWith({ objective: "whole" }),
          { kind: "claim_work", capabilities: ["c", "\0"], limit: 1, lease_owner: "w", lease_ms: 1_000 },
        ]),
      );
      const no = "MALFORMED_INPUT";
      expect(report.results.map(code)).toEqual(["ok", no, no, no, no, no, no, "ok", no]);
      expect(report.results[1]).toMatchObject({
        error: {
          retryable: false,
          message: expect.stringContaining("objective of start_run holds the character U+0000"),
        },
      });
      expect(code(await say<"start_run">(begin("\0")))).toBe(no); // a batch of one command
      expect(code(await bench.store.read.run("\0" as RunId))).toBe(no);
      expect(code(await bench.store.read.patch(run, "\0"))).toBe(no);
      expect(must(await bench.store.read.workItems(run)).map((item) => item.objective)).toEqual(["whole"]);
    });

    test("what travels as JSON may hold any character: inputs, operations, results and reasons", async () => {
      const run = await start();
      const any = "\u0000\u001e\u2028\ufeff\ud83c\udf0d";
      await ask(run, [request("c", { input: { [any]: [any] } }), request("c")]);
      const [first, second] = (await claim(["c"])) as [Lease, Lease];
      expect(first.input).toEqual({ [any]: [any] });
      const patch = { patch_id: bench.ids.patchId(), base_revision_id: null, ops: [{ op: any }] };
      must(
        await say<"complete_work">({ kind: "complete_work", lease: first, patches: [patch], result: { [any]: any } }),
      );
      must(await say<"fail_work">({ kind: "fail_work", lease: second, reason: any }));
      expect(must(await bench.store.read.patch(run, patch.patch_id)).ops).toEqual([{ op: any }]);
      const payloads = must(await bench.store.read.events(run, { after: 0, limit: 100 })).map(({ payload }) => payload);
      expect(payloads).toContainEqual(expect.objectContaining({ result: { [any]: any } }));
      expect(payloads).toContainEqual(expect.objectContaining({ reason: any }));
    });

    test("work names a number of retries that every store can count", async () => {
      const run = await start();
      const requestWith = (max_retries: number) =>
        say<"request_work">({
          kind: "request_work",
          run_id: run,
          actor_id: "demo",
          work: [request("c", { max_retries })],
        });
      for (const number of [-1, 0.5, 1_000_001, 2 ** 31, Number.NaN])
        expect(code(await requestWith(number))).toBe("MALFORMED_INPUT");
      for (const number of [0, 1_000_000]) expect(code(await requestWith(number))).toBe("ok");
    });
  });
}
