import { type Command, daysMs, text } from "#core/commands";
import type { DomainError } from "#core/errors";
import { err, isoTime, ok, type Result } from "#core/values";
import type { Pruned } from "../prune/prune-store.ts";

interface PruneParts {
  readonly behind?: DomainError | undefined;
  readonly store: { prune(before: string, limit: number): Result<Pruned> | Promise<Result<Pruned>> };
}

interface PruneOptions {
  readonly olderThan: string;
}

/** So many of a kind in one transaction, so that no other process waits long for it. */
const share = 5_000;

export const prune: Command<"runtime", PruneParts, PruneOptions> = {
  name: "prune",
  summary: "let go of what the shared store keeps of requests and orders that ended long ago",
  needs: "runtime",
  json: "before, and how many request_keys, work_orders, contexts and sealed_values were dropped",
  arguments: [],
  options: { olderThan: text("days", "how long ago they were claimed, at least 1", "90") },
  examples: ["writ prune --older-than 180"],
  after:
    "Drops answered and refused request keys, finished orders and the contexts of sessions, and sealed values that are older than `redaction.keep_sealed_hours`. Events, sessions and runs stay (see `writ runs archive`).\nAn order or a key that is sent again after that is new: choose a time after which no client repeats a request.",
  exits: null,
  run: async ({ store, behind }, { options: { olderThan }, context }) => {
    if (behind) return err(behind);
    const age = daysMs("--older-than", olderThan, { least: 1 });
    if (!age.ok) return age;
    const before = isoTime(context.clock.now() - age.value);
    let total: Pruned = { request_keys: 0, work_orders: 0, contexts: 0, sealed_values: 0 };
    for (;;) {
      const pruned = await store.prune(before, share);
      if (!pruned.ok) return pruned;
      const { request_keys, work_orders, contexts, sealed_values } = pruned.value;
      total = {
        request_keys: total.request_keys + request_keys,
        work_orders: total.work_orders + work_orders,
        contexts: total.contexts + contexts,
        sealed_values: total.sealed_values + sealed_values,
      };
      if (Math.max(request_keys, work_orders, contexts, sealed_values) < share) break;
    }
    return ok({
      json: { before, pruned: total },
      text: () =>
        `dropped ${total.request_keys} request keys, ${total.work_orders} finished orders and ${total.contexts} contexts from before ${before}, and ${total.sealed_values} expired sealed values\n`,
    });
  },
};
