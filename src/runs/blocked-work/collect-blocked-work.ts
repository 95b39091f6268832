import { ok, type Result, type RunId } from "#core/values";
import type { Decisions, Inbox } from "#people";
import { blockedWork } from "../approval-kinds/blocked-work.ts";
import type { Kernel } from "../kernel/kernel.ts";

const runsAtOnce = 200;
const eventsAtOnce = 500;
const itemsAtOnce = 1_000;

/**
 * Puts blocked work into the inbox until a person acknowledges it; the app of its run decides what follows. Collected when the
 * inbox is listed, from the runs' events since the last time.
 */
export class BlockedWork {
  readonly #kernel: Kernel;
  readonly #inbox: Pick<Inbox, "ask">;
  /** The last event read, per active run. */
  #seen: ReadonlyMap<string, number> = new Map();
  #looking: Promise<Result<void>> | undefined;

  constructor(kernel: Kernel, inbox: Pick<Inbox, "ask">) {
    this.#kernel = kernel;
    this.#inbox = inbox;
  }

  /** Puts new blocked work into the inbox. */
  async collect(): Promise<Result<void>> {
    await this.#looking; // a pass that started before this call may have missed events that the caller knows of
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<Result<void>> {
    const runs = await this.#kernel.read.runs({ status: "active", limit: runsAtOnce });
    if (!runs.ok) return runs;
    const seen = new Map<string, number>();
    for (const { run_id, app_id } of runs.value) {
      const read = await this.#history(run_id as RunId, this.#seen.get(run_id) ?? 0);
      if (!read.ok) return read;
      const asked =
        read.value.blocked.size > 0 ? await this.#ask(run_id as RunId, app_id, read.value.blocked) : ok(undefined);
      if (!asked.ok) return asked;
      seen.set(run_id, read.value.last);
    }
    this.#seen = seen;
    return ok(undefined);
  }

  /** The work that was blocked after this event, and the run's last event. */
  async #history(run_id: RunId, after: number): Promise<Result<{ blocked: ReadonlySet<string>; last: number }>> {
    const blocked = new Set<string>();
    for (let last = after; ; ) {
      const found = await this.#kernel.read.events(run_id, { after: last, limit: eventsAtOnce });
      if (!found.ok) return found;
      for (const { event_type, payload } of found.value)
        if (event_type === "work.blocked" && payload.work_id !== undefined) blocked.add(payload.work_id);
      last = found.value.at(-1)?.seq ?? last;
      if (found.value.length < eventsAtOnce) return ok({ blocked, last });
    }
  }

  async #ask(run_id: RunId, app_id: string, blocked: ReadonlySet<string>): Promise<Result<void>> {
    for (let after: string | undefined; ; ) {
      const items = await this.#kernel.read.workItems(run_id, { limit: itemsAtOnce, ...(after ? { after } : {}) });
      if (!items.ok) return items;
      for (const item of items.value) {
        if (!blocked.has(item.work_id)) continue;
        const { work_id, capability, objective } = item;
        const question = { work_id, run_id, app_id, capability, objective };
        const asked = await this.#inbox.ask(blockedWork, question, { author: app_id, session: null, run_id });
        if (!asked.ok) return asked;
      }
      after = items.value.at(-1)?.work_id;
      if (items.value.length < itemsAtOnce) return ok(undefined);
    }
  }
}

/** The same decisions, whose collecting includes the blocked work of runs. */
export function withBlockedWork(decisions: Decisions, kernel: Kernel, inbox: Pick<Inbox, "ask">): Decisions {
  const blocked = new BlockedWork(kernel, inbox);
  return {
    ...decisions,
    async collect() {
      const collected = await decisions.collect();
      return collected.ok ? blocked.collect() : collected;
    },
  };
}
