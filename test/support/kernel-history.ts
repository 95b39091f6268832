import {
  createIds,
  type IdSource,
  type PatchId,
  type Result,
  type RevisionId,
  type RunId,
  seededRandom,
  type WorkId,
} from "#core/values";
import { type Lease } from "#runs";
import { type ManualClock, manualClock } from "../../src/core/values/manual-clock.ts";
import {
  type CommandKind,
  type CommandOf,
  type Outcomes,
  type TurnAction,
  type TurnClaim,
} from "../../src/runs/kernel/commands.ts";
import { type KernelStore } from "../../src/runs/kernel/store/port.ts";
import { openSqliteKernel } from "../../src/runs/kernel/store/sqlite/open.ts";
import { agree, compare } from "./kernel-agree.ts";
import { createModel, type Model, type ModelItem, modelLimits } from "./kernel-model.ts";
import type { Op } from "./kernel-ops.ts";

const caps = ["a", "b"] as const;
const leaseMs = 500;

export interface World {
  readonly store: KernelStore;
  readonly model: Model;
  readonly clock: ManualClock;
  readonly leases: Lease[];
  readonly turns: TurnClaim[];
  close(): Promise<void>;
}

/** Plays a history on the real store and on the model; throws where they part. */
export async function play(history: readonly Op[]): Promise<World> {
  const clock = manualClock();
  const opened = openSqliteKernel(":memory:", { clock, limits: modelLimits });
  if (!opened.ok) throw new Error(opened.error.message);
  const world: World = {
    store: opened.value,
    model: createModel(clock.now()),
    clock,
    leases: [],
    turns: [],
    close: () => opened.value.close(),
  };
  const ids = createIds(clock, seededRandom(1));
  await step(world, ids, { op: "start" });
  for (const op of history) {
    await step(world, ids, op);
    world.model.now = clock.now();
  }
  await compare(world.store, world.model);
  return world;
}

async function step(world: World, ids: IdSource, op: Op): Promise<void> {
  const { store, model, clock, leases, turns } = world;
  const say = async <K extends CommandKind>(command: CommandOf<K>): Promise<Result<Outcomes[K]>> => {
    const report = await store.commit([command]);
    if (!report.ok) throw new Error(report.error.message);
    return report.value.results[0] as Result<Outcomes[K]>;
  };
  const verdict = (result: Result<unknown>): string => (result.ok ? "ok" : result.error.code);
  const runIds = [...model.runs.keys()] as RunId[];
  const pickRun = (index: number): RunId | undefined => runIds[index % Math.max(1, runIds.length)];

  switch (op.op) {
    case "start": {
      const run_id = ids.runId();
      agree(
        "start",
        "ok",
        verdict(await say<"start_run">({ kind: "start_run", run_id, app_id: "app", objective: "o", actor_id: "u" })),
      );
      return model.start(run_id);
    }
    case "advance":
      return clock.advance(op.ms);
    case "sweep":
      agree("sweep", "ok", verdict(await say<"sweep">({ kind: "sweep", limit: 1_000 })));
      return model.sweep();
    case "claim": {
      const capabilities = caps.filter((_, index) => op.capabilities & (1 << index));
      const claimed = await say<"claim_work">({
        kind: "claim_work",
        capabilities,
        limit: op.limit,
        lease_owner: `w${op.owner}`,
        lease_ms: leaseMs,
      });
      if (!claimed.ok) throw new Error(claimed.error.message);
      model.sweep();
      for (const lease of claimed.value) {
        const run = model.runs.get(lease.run_id);
        const item = run?.items.get(lease.work_id);
        agree(
          `${lease.work_id} may be claimed`,
          true,
          run && item && model.isReady(run, item) && capabilities.includes(item.capability as "a"),
        );
        model.lease(lease.run_id, lease.work_id, lease.lease_owner, leaseMs);
        agree(`${lease.work_id} epoch`, item?.epoch, lease.lease_epoch);
        leases.push(lease);
      }
      if (claimed.value.length < op.limit)
        for (const run of model.runs.values())
          for (const item of run.items.values())
            agree(
              `something ready is left behind (${item.key})`,
              false,
              model.isReady(run, item) && capabilities.includes(item.capability as "a"),
            );
      return;
    }
    case "complete":
    case "fail":
    case "block":
    case "release":
    case "extend":
    case "lease-patch": {
      const true_ = leases[op.lease % Math.max(1, leases.length)];
      if (!true_) return;
      // Now and then somebody speaks under a lease that is not his, or in another run.
      const lease: Lease =
        op.as === 0
          ? { ...true_, lease_owner: "eve" }
          : op.as === 1
            ? { ...true_, run_id: pickRun(op.lease) ?? true_.run_id }
            : true_;
      const item = model.runs.get(lease.run_id)?.items.get(lease.work_id);
      const before = item && { ...item };
      const held = item !== undefined && model.holds(lease.run_id, lease.work_id, lease.lease_owner, lease.lease_epoch);
      const expected = item === undefined ? "NOT_FOUND" : held ? "ok" : "LEASE_LOST";
      const repeated = (status: string): boolean =>
        before?.status === status &&
        before.lease?.epoch === lease.lease_epoch &&
        before.lease.owner === lease.lease_owner &&
        wasEndedBy(world, lease);
      if (op.op === "complete") {
        const answer = await say<"complete_work">({ kind: "complete_work", lease, patches: [] });
        agree("complete", repeated("completed") ? "ok" : expected, verdict(answer));
        if (held) model.complete(lease.run_id, lease.work_id);
      } else if (op.op === "fail" || op.op === "block") {
        const status = op.op === "fail" ? "failed" : "blocked";
        const answer =
          op.op === "fail"
            ? await say<"fail_work">({ kind: "fail_work", lease, reason: "r" })
            : await say<"block_work">({ kind: "block_work", lease, reason: "r" });
        agree(op.op, repeated(status) ? "ok" : expected, verdict(answer));
        if (held) model.end(lease.run_id, lease.work_id, status);
      } else if (op.op === "release") {
        agree("release", expected, verdict(await say<"release_work">({ kind: "release_work", lease, reason: "r" })));
        if (held) model.requeue(lease.run_id, lease.work_id);
      } else if (op.op === "extend") {
        agree(
          "extend",
          expected,
          verdict(await say<"extend_lease">({ kind: "extend_lease", lease, lease_ms: leaseMs })),
        );
        if (held && item?.lease) item.lease.until = Math.max(item.lease.until, clock.now() + leaseMs);
      } else {
        const patch_id = ids.patchId();
        const closed = model.runs.get(lease.run_id)?.status === "closed";
        const answer = await say<"submit_patch">({
          kind: "submit_patch",
          run_id: lease.run_id,
          author_kind: "worker",
          author_id: lease.lease_owner,
          lease,
          patch: { patch_id, base_revision_id: null, ops: [] },
        });
        agree("submit under a lease", closed ? "RUN_CLOSED" : expected, verdict(answer));
        if (answer.ok) addPatch(model, lease.run_id, patch_id);
      }
      if (held && item && item.status !== before?.status) ended(world, lease, item);
      return;
    }
    case "patch": {
      const run_id = pickRun(op.run);
      if (!run_id) return;
      const patch_id = ids.patchId();
      const answer = await say<"submit_patch">({
        kind: "submit_patch",
        run_id,
        author_kind: "user",
        author_id: "u",
        patch: { patch_id, base_revision_id: null, ops: [] },
      });
      agree("patch", model.runs.get(run_id)?.status === "closed" ? "RUN_CLOSED" : "ok", verdict(answer));
      if (answer.ok) addPatch(model, run_id, patch_id);
      return;
    }
    case "pause":
    case "continue":
    case "cancel": {
      const run_id = pickRun(op.run);
      const run = run_id && model.runs.get(run_id);
      if (!run_id || !run) return;
      const closed = run.status === "closed";
      if (op.op === "cancel") {
        const answer = await say<"cancel_run">({ kind: "cancel_run", run_id, actor_id: "u" });
        agree("cancel", closed && run.reason !== "canceled" ? "RUN_CLOSED" : "ok", verdict(answer));
        if (!closed) model.close(run_id, "canceled");
        return;
      }
      const answer =
        op.op === "pause"
          ? await say<"pause_run">({ kind: "pause_run", run_id, actor_id: "u" })
          : await say<"continue_run">({ kind: "continue_run", run_id, actor_id: "u" });
      agree(op.op, closed ? "RUN_CLOSED" : "ok", verdict(answer));
      if (!closed) run.paused = op.op === "pause";
      return;
    }
    case "turn": {
      const claimed = await say<"claim_turn">({
        kind: "claim_turn",
        app_ids: ["app"],
        turn_owner: `c${op.owner}`,
        turn_ms: leaseMs,
        limit: 100,
      });
      if (!claimed.ok) throw new Error(claimed.error.message);
      const asked = new Set(claimed.value.map((turn) => turn.run_id as string));
      for (const [id, run] of model.runs) {
        if (run.status === "closed" || run.paused) agree(`${id} is asked`, false, asked.has(id));
        else if (run.turn && clock.now() < run.turn.until) agree(`${id} is asked during a turn`, false, asked.has(id));
        else if (run.turn) {
          failTurn(model, id);
          agree(`${id} is asked at once after a failed turn`, false, asked.has(id));
        } else agree(`${id} is asked`, run.news > run.seen && run.retryAt <= clock.now(), asked.has(id));
      }
      for (const turn of claimed.value) {
        const run = model.runs.get(turn.run_id);
        if (!run) throw new Error("a turn of an unknown run");
        run.epoch += 1;
        run.turn = { owner: turn.turn_owner, epoch: run.epoch, until: clock.now() + leaseMs };
        agree("turn epoch", run.epoch, turn.turn_epoch);
        turns.push(turn);
        shown.set(turn, run.news);
      }
      return;
    }
    case "fail-turn": {
      const turn = turns[op.turn % Math.max(1, turns.length)];
      if (!turn) return;
      const expected = turnVerdict(model, turn, clock.now());
      agree(
        "fail turn",
        expected,
        verdict(await say<"fail_turn">({ kind: "fail_turn", turn, code: "X", reason: "r" })),
      );
      if (expected === "ok") failTurn(model, turn.run_id);
      return;
    }
    case "answer": {
      const turn = turns[op.turn % Math.max(1, turns.length)];
      if (!turn) return;
      return answerTurn({ world, ids }, turn, op, async (actions) =>
        verdict(await say<"apply_turn">({ kind: "apply_turn", turn, up_to_seq: turn.up_to_seq, actions })),
      );
    }
  }
}

/** How much the run had to tell when a turn was claimed. */
const shown = new WeakMap<TurnClaim, number>();
const endings = new WeakMap<World, Set<string>>();

function ended(world: World, lease: Lease, item: ModelItem): void {
  const known = endings.get(world) ?? new Set();
  if (["completed", "failed", "blocked"].includes(item.status)) known.add(`${lease.work_id}/${lease.lease_epoch}`);
  endings.set(world, known);
}

function wasEndedBy(world: World, lease: Lease): boolean {
  return endings.get(world)?.has(`${lease.work_id}/${lease.lease_epoch}`) ?? false;
}

function addPatch(model: Model, run: string, patch: string): void {
  const found = model.runs.get(run);
  found?.patches.set(patch, null);
  if (found) found.news += 1;
}

function failTurn(model: Model, id: string): void {
  const run = model.runs.get(id);
  if (!run) return;
  run.turn = null;
  run.failures += 1;
  run.retryAt = model.now + Math.min(modelLimits.turnBackoffMaxMs, modelLimits.turnBackoffMs * 2 ** (run.failures - 1));
  if (run.failures >= modelLimits.turnFailureLimit) model.close(id, "failed");
}

function turnVerdict(model: Model, turn: TurnClaim, now: number): string {
  const run = model.runs.get(turn.run_id);
  if (!run) return "NOT_FOUND";
  if (run.status === "closed") return "RUN_CLOSED";
  const held = run.turn?.owner === turn.turn_owner && run.turn.epoch === turn.turn_epoch && now < run.turn.until;
  return held ? "ok" : "LEASE_LOST";
}

async function answerTurn(
  { world, ids }: { readonly world: World; readonly ids: IdSource },
  turn: TurnClaim,
  op: { readonly kind: number; readonly pick: number },
  say: (actions: readonly TurnAction[]) => Promise<string>,
): Promise<void> {
  const { model, clock } = world;
  const run = model.runs.get(turn.run_id);
  if (!run) return;
  const works = [...run.items.keys()];
  const patches = [...run.patches.keys()];
  const actions: TurnAction[] = [];
  const change: (() => void)[] = [];
  let refused: string | undefined;
  const some = op.pick % 4;
  if (op.kind <= 2) {
    const pending = new Map<string, string>();
    for (let n = 0; n <= some; n++) {
      const key = `k${(op.pick + n) % 9}`;
      const work_id = ids.workId();
      const need =
        n > 0 && op.kind === 1
          ? [`k${(op.pick + n - 1) % 9}`]
          : works.length > 0 && op.kind === 2
            ? [works[op.pick % works.length] as string]
            : [];
      actions.push({
        type: "request_work",
        work_id,
        capability: caps[n % 2] as string,
        objective: "o",
        depends_on: need,
        idempotency_key: key,
      });
      const needs = need.map(
        (name) => pending.get(name) ?? [...run.items].find(([, item]) => item.key === name)?.[0] ?? name,
      ) as WorkId[];
      const known = [...run.items].find(([, item]) => item.key === key)?.[0];
      pending.set(key, known ?? work_id);
      change.push(() => void model.request(turn.run_id, work_id, { key, capability: caps[n % 2] as string, needs }));
    }
  }
  if (op.kind === 3 || op.kind === 4) {
    const parent = op.kind === 4 && op.pick % 3 === 0 ? (run.chain.at(-2) ?? "REV-none") : run.head;
    const chosen = patches.filter((_, index) => (op.pick >> index) & 1);
    const revision_id = ids.revisionId();
    actions.push({
      type: "create_revision",
      revision_id,
      parent_revision_id: parent as RevisionId | null,
      applied_patch_ids: chosen as PatchId[],
      rejected_patch_ids: [],
      rejections: [],
      document_ref: { sha256: "0".repeat(64) },
    });
    if (parent !== run.head) refused = "REVISION_CONFLICT";
    else if (chosen.some((patch) => run.patches.get(patch) !== null)) refused = "PATCH_ALREADY_APPLIED";
    change.push(() => {
      run.head = revision_id;
      run.chain.push(revision_id);
      for (const patch of chosen) run.patches.set(patch, revision_id);
    });
  }
  if (op.kind === 5) {
    const reason = (["completed", "blocked", "failed", "canceled"] as const)[op.pick % 4] as "completed";
    actions.push({ type: "close_run", reason });
    const open = [...run.items.values()].some((item) => item.status === "queued" || item.status === "leased");
    if (open && (reason === "completed" || (reason as string) === "blocked")) refused = "RUN_HAS_OPEN_WORK";
    change.push(() => model.close(turn.run_id, reason));
  }
  if (op.kind === 6) actions.push({ type: "noop" });
  const held = turnVerdict(model, turn, clock.now());
  const expected = run.applied === turn.turn_epoch ? "ok" : held !== "ok" ? held : (refused ?? "ok");
  const wasHeld = held === "ok";
  agree(`answer ${op.kind}`, expected, await say(actions));
  if (expected !== "ok" || !wasHeld) return;
  run.applied = turn.turn_epoch;
  run.turn = null;
  run.failures = 0;
  run.retryAt = 0;
  run.seen = shown.get(turn) ?? 0;
  for (const each of change) each();
}
