import { describe, expect, test } from "vitest";
import type { RevisionId, RunId } from "#core/values";
import type { TurnClaim } from "../commands.ts";
import type { Lease } from "../records.ts";
import { code, must, type StoreCase, storeBench } from "./store-bench.case.ts";

const hash = "a".repeat(64);

/** The cases that every driver of the kernel store passes about app turns, patches, revisions and the end of runs. */
export function kernelTurnCases(name: string, driver: StoreCase): void {
  describe(`turns and canon in the kernel store on ${name}`, () => {
    const bench = storeBench(driver);
    const { ask, claim, complete, eventsOf, request, say, start, statusOf, submitPatch, turn } = bench;

    const revise = (claimed: TurnClaim, more: object = {}) =>
      say<"apply_turn">({
        kind: "apply_turn",
        turn: claimed,
        up_to_seq: claimed.up_to_seq,
        actions: [
          {
            type: "create_revision",
            revision_id: bench.ids.revisionId(),
            parent_revision_id: claimed.head_revision_id,
            applied_patch_ids: [],
            rejected_patch_ids: [],
            rejections: [],
            document_ref: { sha256: hash },
            ...more,
          },
        ],
      });
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
      const chain = must(await bench.store.read.revisions(run));
      expect(chain[1]?.parent_revision_id).toBe(chain[0]?.revision_id);
      expect(must(await bench.store.read.run(run)).head_revision_id).toBe(chain[1]?.revision_id);
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
      const patches = must(await bench.store.read.patches(run));
      expect(patches[0]?.applied_in_revision_id).not.toBeNull();
      expect(patches[1]).toMatchObject({ applied_in_revision_id: null });
      expect(must(await bench.store.read.unappliedPatchIds(run, 10))).toHaveLength(1);
    });

    test("what the app writes itself is a patch of the same revision, and no news to the app", async () => {
      const run = await start();
      const named = await submitPatch(run);
      const [claimed] = (await turn()) as [TurnClaim];
      const own = bench.ids.patchId();
      const source = { work_order_id: "WO-20261115-001", session_id: "SES-1" };
      must(
        await revise(claimed, {
          applied_patch_ids: [named],
          own_patches: [{ patch_id: own, ops: [{ op: "section.delete", section: ["Old"] }], ...source }],
        }),
      );
      const [revision] = must(await bench.store.read.revisions(run));
      expect(revision?.applied_patch_ids).toEqual([named, own]);
      expect(must(await bench.store.read.patch(run, own))).toMatchObject({
        author_kind: "app",
        author_id: claimed.app_id,
        applied_in_revision_id: revision?.revision_id,
        ops: [{ op: "section.delete", section: ["Old"] }],
      });
      expect(must(await bench.store.read.revision(run, revision?.revision_id ?? ""))).toEqual(revision);
      const submitted = must(await bench.store.read.events(run, { after: 0, limit: 100 })).filter(
        (event) => event.event_type === "patch.submitted",
      );
      expect(submitted[1]?.payload).toMatchObject({ author_kind: "app", patch_id: own, ...source });
      expect(await turn()).toEqual([]);
    });

    test("a patch or revision that the run does not have is not found, also when another run has it", async () => {
      const [run, other] = [await start(), await start()];
      const patch = await submitPatch(run);
      expect(code(await bench.store.read.patch(other, patch))).toBe("NOT_FOUND");
      expect(code(await bench.store.read.revision(run, "REV-none"))).toBe("NOT_FOUND");
    });

    test("a run that would close unless there is news stays open for what came during the turn", async () => {
      const run = await start();
      const [claimed] = (await turn()) as [TurnClaim];
      await submitPatch(run);
      const close = (claim: TurnClaim) =>
        say<"apply_turn">({
          kind: "apply_turn",
          turn: claim,
          up_to_seq: claim.up_to_seq,
          actions: [{ type: "close_run", reason: "completed", unless_news: true }],
        });
      must(await close(claimed));
      expect(must(await bench.store.read.run(run)).status).toBe("active");
      const [again] = (await turn()) as [TurnClaim];
      must(await close(again));
      expect(must(await bench.store.read.run(run))).toMatchObject({ status: "closed", close_reason: "completed" });
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
      bench.clock.advance(3_600_000);
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
      expect(must(await bench.store.read.run(run)).status).toBe("active");
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
            patch: { patch_id: bench.ids.patchId(), base_revision_id: null, ops: [{ op: "x" }] },
          }),
        ),
      ).toBe("RUN_CLOSED");
      expect((await eventsOf(run)).filter((type) => type === "run.closed")).toHaveLength(1);
    });

    test("the answer of an expired turn is refused, the turn counts as failed, and the app gets another one", async () => {
      const run = await start();
      const [late] = (await turn()) as [TurnClaim];
      bench.clock.advance(1_000);
      const answer = () =>
        say<"apply_turn">({ kind: "apply_turn", turn: late, up_to_seq: late.up_to_seq, actions: [] });
      expect(code(await answer())).toBe("LEASE_LOST");
      expect(await turn()).toEqual([]); // failed now; the next try waits a little
      bench.clock.advance(1_000);
      expect(await turn()).toMatchObject([{ turn_epoch: 2, turn_failures: 1 }]);
      expect(code(await answer())).toBe("LEASE_LOST");
      expect(await eventsOf(run)).toContain("app.turn.failed");
    });

    test("an app that fails again and again closes its run as failed, with the reason", async () => {
      const run = await start();
      for (let failures = 1; failures <= 5; failures++) {
        const [claimed] = (await turn()) as [TurnClaim];
        const failed = must(
          await say<"fail_turn">({ kind: "fail_turn", turn: claimed, code: "INTERNAL", reason: "boom\0!" }),
        );
        expect(failed.closed).toBe(failures === 5);
        bench.clock.advance(60_000);
      }
      expect(must(await bench.store.read.run(run))).toMatchObject({ status: "closed", close_reason: "failed" });
      expect(must(await bench.store.read.run(run)).close_message).toContain("boom\ufffd!");
    });

    test("a turn that its conductor hands back counts for nothing, and the next one has it at once", async () => {
      const run = await start();
      for (let time = 1; time <= 6; time++) {
        const [claimed] = (await turn()) as [TurnClaim];
        expect(claimed).toMatchObject({ turn_epoch: time, turn_failures: 0 });
        const back = {
          kind: "fail_turn",
          turn: claimed,
          code: "CANCELED",
          reason: "we end",
          handed_back: true,
        } as const;
        expect(must(await say<"fail_turn">(back)).closed).toBe(false);
        expect(code(await say<"fail_turn">(back))).toBe("LEASE_LOST");
      }
      expect(must(await bench.store.read.run(run)).status).toBe("active");
    });

    test("every event has the next seq of its run, without a gap", async () => {
      const runs = [await start(), await start()];
      for (const run of runs) await ask(run, [request("c"), request("c")]);
      for (const lease of await claim(["c"])) must(await complete(lease));
      for (const run of runs) {
        const events = must(await bench.store.read.events(run, { after: 0, limit: 100 }));
        expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
        expect(must(await bench.store.read.events(run, { after: 3, limit: 2 })).map((event) => event.seq)).toEqual([
          4, 5,
        ]);
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
      const other = await bench.openAs("other");
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
      expect(must(await bench.store.archive.mark(run, "sha256:x"))).toBe(false);
      must(await say<"cancel_run">({ kind: "cancel_run", run_id: run, actor_id: "ada" }));
      expect(must(await bench.store.archive.mark(run, "sha256:x"))).toBe(true);
      while (!must(await bench.store.archive.dropSome(run)));
      expect(await statusOf(run)).toEqual([]);
      expect(await eventsOf(run)).toEqual([]);
      expect(must(await bench.store.read.run(run))).toMatchObject({ status: "closed", archive_ref: "sha256:x" });
      expect(must(await bench.store.read.runs({ closedBefore: bench.clock.now() + 1, limit: 5 }))).toEqual([]);
    });

    test("runs are listed newest first, page by page, by status", async () => {
      const runs = [await start(), await start(), await start()];
      must(await say<"cancel_run">({ kind: "cancel_run", run_id: runs[1] as RunId, actor_id: "ada" }));
      const ids_ = (list: readonly { run_id: string }[]) => list.map((run) => run.run_id);
      expect(ids_(must(await bench.store.read.runs({ limit: 2 })))).toEqual([runs[2], runs[1]]);
      expect(ids_(must(await bench.store.read.runs({ limit: 2, before: runs[1] as string })))).toEqual([runs[0]]);
      expect(ids_(must(await bench.store.read.runs({ limit: 9, status: "closed" })))).toEqual([runs[1]]);
    });
  });
}
