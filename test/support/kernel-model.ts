/** The kernel in the plainest words we have: no batches, no indexes, no counters. The real one must agree with it. */
export interface ModelRun {
  status: "active" | "closed";
  reason: string | null;
  paused: boolean;
  head: string | null;
  turn: { owner: string; epoch: number; until: number } | null;
  epoch: number;
  /** The newest epoch whose answer was taken: the same answer again is the same answer. */
  applied: number;
  failures: number;
  retryAt: number;
  /** Something happened that the app has not answered for. */
  news: number;
  seen: number;
  readonly items: Map<string, ModelItem>;
  readonly patches: Map<string, string | null>;
  readonly chain: string[];
}

export interface ModelItem {
  readonly key: string;
  status: string;
  readonly capability: string;
  readonly needs: readonly string[];
  lease: { owner: string; epoch: number; until: number } | null;
  epoch: number;
  retries: number;
  notBefore: number;
}

export interface Model {
  readonly runs: Map<string, ModelRun>;
  now: number;
  start(run: string): void;
  isReady(run: ModelRun, item: ModelItem): boolean;
  lease(run: string, work: string, owner: string, ms: number): void;
  holds(run: string, work: string, owner: string, epoch: number): boolean;
  complete(run: string, work: string): void;
  end(run: string, work: string, status: "failed" | "blocked"): void;
  requeue(run: string, work: string): void;
  sweep(): void;
  close(run: string, reason: string): void;
  request(run: string, work: string, item: { key: string; capability: string; needs: readonly string[] }): string;
}

export const modelLimits = {
  maxRetries: 2,
  retryBackoffMs: 100,
  retryBackoffMaxMs: 400,
  turnFailureLimit: 3,
  turnBackoffMs: 100,
  turnBackoffMaxMs: 400,
};
const open = (item: ModelItem): boolean => item.status === "queued" || item.status === "leased";

export function createModel(start: number): Model {
  const runs = new Map<string, ModelRun>();
  const of = (run: string): ModelRun => runs.get(run) as ModelRun;
  const item = (run: string, work: string): ModelItem => of(run).items.get(work) as ModelItem;
  const cancelWaiting = (run: ModelRun): void => {
    const lost = [...run.items]
      .filter(([, other]) => ["failed", "blocked", "canceled"].includes(other.status))
      .map(([id]) => id);
    for (const other of run.items.values())
      if (other.status === "queued" && other.needs.some((need) => lost.includes(need))) {
        other.status = "canceled";
        run.news += 1;
        cancelWaiting(run);
      }
  };
  const model: Model = {
    runs,
    now: start,
    start(run) {
      runs.set(run, {
        status: "active",
        reason: null,
        paused: false,
        head: null,
        turn: null,
        epoch: 0,
        applied: 0,
        failures: 0,
        retryAt: 0,
        news: 1,
        seen: 0,
        items: new Map(),
        patches: new Map(),
        chain: [],
      });
    },
    isReady: (run, each) =>
      run.status === "active" &&
      !run.paused &&
      each.status === "queued" &&
      each.notBefore <= model.now &&
      each.needs.every((need) => run.items.get(need)?.status === "completed"),
    lease(run, work, owner, ms) {
      const each = item(run, work);
      each.status = "leased";
      each.epoch += 1;
      each.lease = { owner, epoch: each.epoch, until: model.now + ms };
    },
    holds(run, work, owner, epoch) {
      const { lease, status } = item(run, work);
      return status === "leased" && lease?.owner === owner && lease.epoch === epoch && model.now < lease.until;
    },
    complete(run, work) {
      item(run, work).status = "completed";
      of(run).news += 1;
    },
    end(run, work, status) {
      item(run, work).status = status;
      of(run).news += 1;
      cancelWaiting(of(run));
    },
    requeue(run, work) {
      const each = item(run, work);
      if (each.retries >= modelLimits.maxRetries) return model.end(run, work, "failed");
      each.retries += 1;
      each.status = "queued";
      each.notBefore =
        model.now + Math.min(modelLimits.retryBackoffMaxMs, modelLimits.retryBackoffMs * 2 ** (each.retries - 1));
    },
    sweep() {
      for (const [id, run] of runs)
        for (const [work, each] of run.items)
          if (each.status === "leased" && each.lease && model.now >= each.lease.until) model.requeue(id, work);
    },
    close(run, reason) {
      const each = of(run);
      each.status = "closed";
      each.reason = reason;
      each.turn = null;
      for (const other of each.items.values()) if (open(other)) other.status = "canceled";
    },
    request(run, work, { key, capability, needs }) {
      const each = of(run);
      const known = [...each.items].find(([, other]) => other.key === key);
      if (known) return known[0];
      each.items.set(work, {
        key,
        capability,
        needs,
        status: "queued",
        lease: null,
        epoch: 0,
        retries: 0,
        notBefore: 0,
      });
      cancelWaiting(each);
      return work;
    },
  };
  return model;
}
