import { afterEach, beforeEach } from "vitest";
import {
  createIds,
  type IdSource,
  type PatchId,
  type Result,
  type RunId,
  seededRandom,
  type WorkId,
} from "#core/values";
import { type ManualClock, manualClock } from "../../../core/values/manual-clock.ts";
import type { CommandKind, CommandOf, Outcomes, TurnClaim, WorkRequest } from "../commands.ts";
import type { Lease } from "../records.ts";
import type { KernelStore } from "./port.ts";

export interface StoreCase {
  /** Opens a store on this clock. Opened again under the same name, it has the same content. */
  open(name: string, clock: ManualClock, tenant?: string): Promise<KernelStore>;
}

/** A new store for every test of a suite, and short functions for the commands that tests submit. */
export interface StoreBench {
  readonly store: KernelStore;
  readonly clock: ManualClock;
  readonly ids: IdSource;
  reopen(): Promise<void>;
  openAs(tenant: string): Promise<KernelStore>;
  say<K extends CommandKind>(command: CommandOf<K>, to?: KernelStore): Promise<Result<Outcomes[K]>>;
  start(app?: string): Promise<RunId>;
  request(capability: string, more?: Partial<WorkRequest>): WorkRequest;
  ask(run: RunId, work: readonly WorkRequest[]): Promise<readonly WorkId[]>;
  claim(capabilities: readonly string[], limit?: number, owner?: string, to?: KernelStore): Promise<readonly Lease[]>;
  complete(lease: Lease): Promise<Result<Outcomes["complete_work"]>>;
  turn(limit?: number): Promise<readonly TurnClaim[]>;
  submitPatch(run: RunId): Promise<PatchId>;
  statusOf(run: RunId): Promise<readonly string[]>;
  eventsOf(run: RunId): Promise<readonly string[]>;
}

export const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
};

export const code = (result: Result<unknown>): string => (result.ok ? "ok" : result.error.code);

let made = 0;

export function storeBench(driver: StoreCase): StoreBench {
  let clock = manualClock();
  let ids = createIds(clock, seededRandom(7));
  let store: KernelStore;
  let name = "";
  const opened: KernelStore[] = [];
  const open = async (tenant?: string): Promise<KernelStore> => {
    const fresh = await driver.open(name, clock, tenant);
    opened.push(fresh);
    return fresh;
  };
  const closeAll = async (): Promise<void> => {
    for (const each of opened.splice(0)) await each.close();
  };
  beforeEach(async () => {
    clock = manualClock();
    ids = createIds(clock, seededRandom(7));
    made += 1;
    name = `case-${made}`;
    store = await open();
  });
  afterEach(closeAll);

  const say = async <K extends CommandKind>(command: CommandOf<K>, to = store): Promise<Result<Outcomes[K]>> => {
    const report = await to.commit([command]);
    if (!report.ok) return report;
    return report.value.results[0] as Result<Outcomes[K]>;
  };
  return {
    get store() {
      return store;
    },
    get clock() {
      return clock;
    },
    get ids() {
      return ids;
    },
    async reopen() {
      await closeAll();
      store = await open();
    },
    openAs: open,
    say,
    async start(app = "demo") {
      const run_id = ids.runId();
      must(await say<"start_run">({ kind: "start_run", run_id, app_id: app, objective: "grow", actor_id: "ada" }));
      return run_id;
    },
    request: (capability, more = {}) => ({
      work_id: ids.workId(),
      capability,
      objective: "do it",
      depends_on: [],
      idempotency_key: null,
      ...more,
    }),
    ask: async (run_id, work) =>
      must(await say<"request_work">({ kind: "request_work", run_id, actor_id: "demo", work })),
    claim: async (capabilities, limit = 10, owner = "w1", to = store) =>
      must(
        await say<"claim_work">({ kind: "claim_work", capabilities, limit, lease_owner: owner, lease_ms: 1_000 }, to),
      ),
    complete: (lease) => say<"complete_work">({ kind: "complete_work", lease, patches: [] }),
    turn: async (limit = 1) =>
      must(await say<"claim_turn">({ kind: "claim_turn", app_ids: ["demo"], turn_owner: "c1", turn_ms: 1_000, limit })),
    async submitPatch(run_id) {
      const patch_id = ids.patchId();
      const patch = { patch_id, base_revision_id: null, ops: [{ op: "x" }] };
      must(await say<"submit_patch">({ kind: "submit_patch", run_id, author_kind: "user", author_id: "ada", patch }));
      return patch_id;
    },
    statusOf: async (run) => must(await store.read.workItems(run)).map((item) => item.status),
    eventsOf: async (run) =>
      must(await store.read.events(run, { after: 0, limit: 1_000 })).map((event) => event.event_type),
  };
}
