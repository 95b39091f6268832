// One process of the chaos test: node chaos-child.mjs URL OPTIONS. A conductor or a worker on PostgreSQL, with a clock of
// its own that is wrong. The worker trusts nothing it knows about its leases: it speaks even when it slept far past them,
// and only the store can tell it so. What it prints, it was told by the store.
import { writeSync } from "node:fs";
import { shippedRegistry } from "#core/contracts";
import { openPostgres, postgresAddress } from "#core/database";
import { createIds, systemClock, systemRandom } from "#core/values";
import { PostgresLog } from "#log";
import { openPostgresSharedStore } from "#operate";
import { createKernel, kernelRules, openPostgresKernel, postgresDocuments, postgresWakeUp, runConductor } from "#runs";

const [url = "", text = "{}"] = process.argv.slice(2);
const { id, role, skewMs, fences, leaseMs, workMs, pool } = JSON.parse(text);
const say = (line) => void writeSync(1, `${JSON.stringify(line)}\n`);
const must = (result) => {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
};
const clock = {
  ...systemClock,
  now: () => systemClock.now() + skewMs,
  monotonic: systemClock.monotonic,
  after: systemClock.after,
};
const ids = createIds(clock, systemRandom);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The rules as somebody would have them who never heard of fences: whoever speaks of a leased item is believed. */
const withoutFences = {
  ...kernelRules,
  complete_work(world, command, limits) {
    const item = world.work(command.lease.run_id, command.lease.work_id);
    if (item?.status !== "leased") return kernelRules.complete_work(world, command, limits);
    const lease = { ...command.lease, lease_owner: item.lease_owner, lease_epoch: item.lease_epoch };
    const late = { ...world, now: Math.min(world.now, item.lease_expires_at - 1) };
    for (const name of ["run", "work", "workByKey", "patch", "dependents", "openWork"])
      late[name] = world[name].bind(world);
    return kernelRules.complete_work(late, { ...command, lease }, limits);
  },
};

/** Patient and quick: what matters here is that nothing happens twice, not how long one waits between attempts. */
const limits = {
  maxRetries: 1_000,
  retryBackoffMs: 100,
  retryBackoffMaxMs: 500,
  turnFailureLimit: 1_000,
  turnBackoffMs: 100,
  turnBackoffMaxMs: 500,
};

const postgres = await openPostgres(must(postgresAddress(url)), {
  clock,
  random: systemRandom,
  statementTimeoutMs: 5_000,
});
const store = must(await openPostgresKernel(postgres, { clock, rules: fences ? kernelRules : withoutFences, limits }));
const wakeUp = postgresWakeUp({ postgres, clock, ids });
const kernel = createKernel({ store, clock, ids, wakeUp, schemas: shippedRegistry(), defer: setImmediate });
const end = new AbortController();
process.on("SIGTERM", () => end.abort());
say({ ready: id });

if (role === "conductor") {
  const documents = must(await postgresDocuments(postgres));
  const app = {
    app_id: "counting",
    async turn(input, context) {
      const actions = [];
      if (input.new_events_since_seq === 0)
        for (let index = 0; index < Number(input.objective); index++)
          actions.push({
            type: "request_work",
            capability: "count",
            objective: `item ${index}`,
            depends_on: index % 5 === 4 ? [`item-${index - 1}`] : [],
            idempotency_key: `item-${index}`,
            max_retries: 1_000,
          });
      if (input.unapplied_patch_ids.length > 0)
        actions.push({
          type: "create_revision",
          parent_revision_id: input.head_revision_id,
          applied_patch_ids: input.unapplied_patch_ids,
          rejected_patch_ids: [],
          document_ref: must(await context.documents.put(input.unapplied_patch_ids.join("\n"))),
        });
      if (input.open_work_summary.length === 0 && input.new_events_since_seq > 0)
        actions.push({ type: "close_run", reason: "completed" });
      return { actions: actions.length > 0 ? actions : [{ type: "noop" }] };
    },
  };
  const timing = { turnLeaseMs: 2 * leaseMs, pollMs: 200, sweepMs: 400, graceMs: 500 };
  await runConductor({ kernel, conductor_id: id, apps: [app], documents, clock, signal: end.signal, ...timing });
} else {
  const shared = must(await openPostgresSharedStore(postgres, { clock }));
  const unchanged = { redactJson: (value) => ({ value }) };
  const log = new PostgresLog({ postgres, root: "/", schemas: shippedRegistry(), redactor: unchanged, clock, ids });
  const session = must(await log.create({ tier: "ho1" }));
  const start = { tier: "ho1", work_order_id: id };
  await session.append({ type: "session.start", actor: id, payload: start });
  const perform = async (lease) => {
    const share = {
      session_id: `${id}/${lease.work_id}/${lease.lease_epoch}`,
      work_order_id: "WO",
      tokens: 10,
      usd: 0,
    };
    const taken = await shared.takeBudgetShare(pool, share);
    await sleep(workMs * (0.5 + Math.random()));
    const ops = [{ op: "note", by: id, epoch: lease.lease_epoch }];
    const patch = { patch_id: ids.patchId(), base_revision_id: null, ops };
    // Asked again until there is an answer, as long as it takes: a repeated command is the same command.
    for (let attempt = 0; attempt < 20; attempt++) {
      const answer = await kernel.submit({ kind: "complete_work", lease, patches: [patch] });
      if (answer.ok) say({ completed: lease.work_id, run: lease.run_id, epoch: lease.lease_epoch, owner: id });
      if (answer.ok || !answer.error.retryable) break;
      await sleep(100);
    }
    if (taken.ok) await shared.settleBudgetShare(taken.value, { ...share, tokens: 0 });
    const noted = await session.append({
      type: "session.halted",
      actor: id,
      payload: { by: id, reason: lease.work_id },
    });
    if (noted.ok) say({ logged: session.session_id, seq: noted.value.seq });
  };
  while (!end.signal.aborted) {
    const claimed = await kernel.claimWork({ capabilities: ["count"], lease_owner: id, lease_ms: leaseMs, limit: 3 });
    if (claimed.ok && claimed.value.length > 0) await Promise.all(claimed.value.map(perform));
    else await sleep(100);
  }
  await log.shutdown();
}
await kernel.drain();
await wakeUp.close();
await postgres.close();
