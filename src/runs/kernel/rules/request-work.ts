import { domainError } from "#core/errors";
import { err, ok, type Result, type WorkId } from "#core/values";
import type { RequestWork, WorkRequest } from "../commands.ts";
import { type KernelLimits, mostRetries } from "../limits.ts";
import type { NewWork, RunRow, WorkState } from "../records.ts";
import { type EventDraft, kernelActor, type Transition, type WorkChange, type World } from "../transition.ts";
import { endedItem } from "../work-state.ts";
import { runClosed, runNotFound } from "./refusals.ts";

export interface Requested {
  readonly work_id: WorkId;
  readonly work: readonly WorkChange[];
  readonly events: readonly EventDraft[];
}

/** Finds an item of the run by id or key, including the earlier requests of the same batch. */
export type FindWork = (idOrKey: string) => WorkState | undefined;

/**
 *   ∅ ──request──► queued
 *
 * A key that the run already has returns its existing item, so a repeated request makes no second one. An item that depends
 * on work which ended without completing is canceled at once; the cancellation is a fact for the app.
 */
export function requestItem(
  run: RunRow,
  request: WorkRequest,
  options: { readonly find: FindWork; readonly now: number; readonly limits: KernelLimits; readonly actor_id: string },
): Result<Requested> {
  if (run.status === "closed") return err(runClosed(run));
  const known =
    (request.idempotency_key === null ? undefined : options.find(request.idempotency_key)) ??
    options.find(request.work_id);
  if (known) return ok({ work_id: known.work_id, work: [], events: [] });
  const retries = request.max_retries ?? options.limits.maxRetries;
  if (!Number.isInteger(retries) || retries < 0 || retries > mostRetries)
    return err(
      domainError(
        "MALFORMED_INPUT",
        `work may be tried again 0 to ${mostRetries} times (max_retries), found ${retries}`,
        { details: { run_id: run.run_id, max_retries: retries } },
      ),
    );
  const dependencies = new Map<WorkId, WorkState>();
  for (const name of request.depends_on) {
    const dependency = options.find(name);
    if (!dependency)
      return err(
        domainError(
          "NOT_FOUND",
          `work depends on ${name}, which run ${run.run_id} does not know; request that work first`,
          {
            details: { run_id: run.run_id, depends_on: name },
          },
        ),
      );
    dependencies.set(dependency.work_id, dependency);
  }
  const states = [...dependencies.values()];
  const waiting = states.filter((dependency) => dependency.status !== "completed").length;
  const notBefore = request.not_before ?? null;
  const item: NewWork = {
    number: 0,
    work_id: request.work_id,
    run_id: run.run_id,
    capability: request.capability,
    objective: request.objective,
    input: request.input ?? null,
    depends_on: [...dependencies.keys()],
    status: "queued",
    lease_owner: null,
    lease_expires_at: null,
    lease_epoch: 0,
    retry_count: 0,
    max_retries: retries,
    priority: request.priority ?? 0,
    not_before: notBefore,
    waiting_on: waiting,
    dependents: 0,
    ready: waiting === 0 && (notBefore === null || notBefore <= options.now),
    ended_by: null,
    idempotency_key: request.idempotency_key,
  };
  const lost = states.find((dependency) => hasEndedBadly(dependency));
  const work: WorkChange[] = [{ verb: "insert", item }];
  for (const dependency of states)
    if (!hasEnded(dependency))
      work.push({ verb: "name", item: { ...dependency, dependents: dependency.dependents + 1 } });
  const events: EventDraft[] = [
    {
      run_id: run.run_id,
      event_type: "work.requested",
      actor_id: options.actor_id,
      payload: {
        capability: item.capability,
        depends_on: item.depends_on,
        ...(item.idempotency_key === null ? {} : { idempotency_key: item.idempotency_key }),
        ...(item.input === null ? {} : { input: item.input }),
        max_retries: item.max_retries,
        ...(notBefore === null ? {} : { not_before: notBefore }),
        objective: item.objective,
        priority: item.priority,
        work_id: item.work_id,
      },
    },
  ];
  if (lost) {
    work.push({ verb: "end", item: endedItem(item, "canceled", null) });
    events.push({
      run_id: run.run_id,
      event_type: "work.canceled",
      actor_id: kernelActor,
      payload: { because: lost.work_id, lease_epoch: 0, reason: "dependency_ended", work_id: item.work_id },
    });
  }
  return ok({ work_id: item.work_id, work, events });
}

function hasEnded(item: WorkState): boolean {
  return item.status !== "queued" && item.status !== "leased";
}

function hasEndedBadly(item: WorkState): boolean {
  return hasEnded(item) && item.status !== "completed";
}

/** A request outside of a turn. Only the run's own app may make it. */
export function requestWork(
  world: World,
  command: RequestWork,
  limits: KernelLimits,
): Result<Transition<readonly WorkId[]>> {
  const run = world.run(command.run_id);
  if (!run) return err(runNotFound(command.run_id));
  if (command.actor_id !== run.app_id)
    return err(
      domainError(
        "NOT_AUTHORIZED",
        `only the app ${run.app_id} may request work for run ${run.run_id}, not ${command.actor_id}`,
        {
          details: { run_id: run.run_id, actor_id: command.actor_id },
        },
      ),
    );
  const batch = createBatch(world, run);
  const ids: WorkId[] = [];
  for (const request of command.work) {
    const requested = requestItem(run, request, {
      find: batch.find,
      now: world.now,
      limits,
      actor_id: command.actor_id,
    });
    if (!requested.ok) return requested;
    batch.add(requested.value);
    ids.push(requested.value.work_id);
  }
  return ok({ outcome: ids, work: batch.work, events: batch.events });
}

export interface RequestBatch {
  readonly find: FindWork;
  add(requested: Requested): void;
  readonly work: WorkChange[];
  readonly events: EventDraft[];
}

/** Requests of one batch see each other: a later one may depend on an earlier one. */
export function createBatch(world: World, run: RunRow): RequestBatch {
  const fresh = new Map<WorkId, WorkState>();
  const keys = new Map<string, WorkId>();
  const work: WorkChange[] = [];
  const events: EventDraft[] = [];
  const find: FindWork = (name) => {
    const byId = fresh.get(name as WorkId) ?? world.work(run.run_id, name as WorkId);
    if (byId) return byId;
    const key = keys.get(name);
    const byKey = key === undefined ? world.workByKey(run.run_id, name) : fresh.get(key);
    return byKey && (fresh.get(byKey.work_id) ?? byKey);
  };
  return {
    find,
    work,
    events,
    add(requested) {
      for (const change of requested.work) {
        fresh.set(change.item.work_id, change.item);
        if (change.verb === "insert" && change.item.idempotency_key !== null)
          keys.set(change.item.idempotency_key, change.item.work_id);
      }
      work.push(...requested.work);
      events.push(...requested.events);
    },
  };
}
