import type { Command } from "commander";
import { isoTime, ok, type Result } from "#base";
import type { Runtime } from "#compose";
import type { Pruned } from "#store";
import { type Answer, act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { daysMs } from "../days.ts";
import { withRuntime } from "../with-runtime.ts";

interface PruneOptions {
  readonly olderThan: string;
}

/** So many of a kind in one transaction, so that nobody waits for it. */
const share = 5_000;

export function register(program: Command, context: CliContext): void {
  program
    .command("prune")
    .description("let go of what the shared store keeps of requests and orders that ended long ago")
    .option("--older-than <days>", "how long ago they were claimed, at least 1", "90")
    .addHelpText(
      "after",
      "\nExample:\n  $ writ prune --older-than 180\nDrops answered and refused request keys, finished orders and the contexts of sessions. Events, sessions and runs stay (see `writ runs archive`).\nAn order or a key that is sent again after that is new: choose a time in which nobody repeats anything.\n",
    )
    .action(
      act<PruneOptions>(context, (invocation) =>
        withRuntime(invocation, (runtime) => prune(runtime, context, invocation.options)),
      ),
    );
}

async function prune(runtime: Runtime, { clock }: CliContext, { olderThan }: PruneOptions): Promise<Result<Answer>> {
  const age = daysMs("--older-than", olderThan, { least: 1 });
  if (!age.ok) return age;
  const before = isoTime(clock.now() - age.value);
  let total: Pruned = { request_keys: 0, work_orders: 0, contexts: 0 };
  for (;;) {
    const pruned = await runtime.store.prune(before, share);
    if (!pruned.ok) return pruned;
    const { request_keys, work_orders, contexts } = pruned.value;
    total = {
      request_keys: total.request_keys + request_keys,
      work_orders: total.work_orders + work_orders,
      contexts: total.contexts + contexts,
    };
    if (Math.max(request_keys, work_orders, contexts) < share) break;
  }
  return ok({
    json: { before, pruned: total },
    text: () =>
      `dropped ${total.request_keys} request keys, ${total.work_orders} finished orders and ${total.contexts} contexts from before ${before}\n`,
  });
}
