import { describe, expect, test } from "vitest";
import type { RevisionId } from "#core/values";
import type { TurnClaim } from "../commands.ts";
import type { Lease } from "../records.ts";
import { code, must, type StoreCase, storeBench } from "./store-bench.case.ts";

/** The cases that every driver of the kernel store passes about commands and writes of one batch. */
export function kernelFenceCases(name: string, driver: StoreCase): void {
  describe(`fences in the kernel store on ${name}`, () => {
    const bench = storeBench(driver);
    const { ask, claim, complete, request, say, start, submitPatch, turn } = bench;
    const later = () => bench.clock.advance(3_600_000);

    test("items that are leased together keep each their own epoch", async () => {
      const run = await start();
      await ask(run, [request("c"), request("c")]);
      const [first] = (await claim(["c"], 1)) as [Lease];
      must(await say<"release_work">({ kind: "release_work", lease: first, reason: "not today" }));
      later();
      const leases = await claim(["c"], 2);
      expect(new Set(leases.map(({ lease_epoch }) => lease_epoch))).toEqual(new Set([1, 2]));
      await bench.reopen();
      const kept = new Map(must(await bench.store.read.workItems(run)).map((item) => [item.work_id, item.lease_epoch]));
      for (const lease of leases) expect(kept.get(lease.work_id)).toBe(lease.lease_epoch);
      for (const lease of leases) must(await complete(lease));
    });

    test("items that two workers end together are each known as their own when they ask again", async () => {
      const run = await start();
      await ask(run, [request("c"), request("c")]);
      const [ada] = (await claim(["c"], 1, "ada")) as [Lease];
      const [bob] = (await claim(["c"], 1, "bob")) as [Lease];
      const end = (lease: Lease) => ({ kind: "complete_work", lease, patches: [] }) as const;
      must(await bench.store.commit([end(ada), end(bob)]));
      await bench.reopen();
      for (const lease of [ada, bob]) expect(must(await complete(lease))).toEqual({ repeated: true });
      expect(code(await complete({ ...ada, lease_owner: "bob" }))).toBe("LEASE_LOST");
    });

    test("a worker's earlier lease does not count for what it did under a later one", async () => {
      const run = await start();
      await ask(run, [request("c")]);
      const [early] = (await claim(["c"], 1, "same")) as [Lease];
      later();
      must(await say<"sweep">({ kind: "sweep", limit: 9 }));
      later();
      const [late] = (await claim(["c"], 1, "same")) as [Lease];
      must(await complete(late));
      expect(code(await complete(early))).toBe("LEASE_LOST");
      expect(must(await complete(late))).toEqual({ repeated: true });
    });

    test("a patch goes into one revision at most, also where one turn makes two", async () => {
      const run = await start();
      const patch = await submitPatch(run);
      const [claimed] = (await turn()) as [TurnClaim];
      const revision = (revision_id: RevisionId, parent_revision_id: RevisionId | null) =>
        ({
          type: "create_revision",
          revision_id,
          parent_revision_id,
          applied_patch_ids: [patch],
          rejected_patch_ids: [],
          rejections: [],
          document_ref: { sha256: "a".repeat(64) },
        }) as const;
      const [one, two] = [bench.ids.revisionId(), bench.ids.revisionId()];
      const applied = await say<"apply_turn">({
        kind: "apply_turn",
        turn: claimed,
        up_to_seq: claimed.up_to_seq,
        actions: [revision(one, claimed.head_revision_id), revision(two, one)],
      });
      expect(code(applied)).toBe("PATCH_ALREADY_APPLIED");
      expect(must(await bench.store.read.revisions(run))).toEqual([]);
    });

    test("a worker cannot hand in a patch under the name of another's", async () => {
      const run = await start();
      const patch_id = await submitPatch(run);
      await ask(run, [request("c")]);
      const [lease] = (await claim(["c"], 1)) as [Lease];
      const patches = [{ patch_id, base_revision_id: null, ops: [] }];
      expect(code(await say<"complete_work">({ kind: "complete_work", lease, patches }))).toBe("MALFORMED_INPUT");
      must(await complete(lease));
    });
  });
}
