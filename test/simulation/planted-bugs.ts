import { ok, type RunId } from "#core/values";
import type { Rules } from "../../src/runs/kernel/rules/rules.ts";

/**
 * A bug that a careful person could have made, put over the real rules from outside: the product knows nothing of it.
 * Two of them are no bugs of the rules: they change how the world treats a commit or a wake-up.
 */
export interface PlantedBug {
  readonly name: string;
  readonly rules?: (rules: Rules) => Rules;
  /** Commits are acknowledged though only every third one is on disk. */
  readonly earlyAcknowledgement?: boolean;
  /** Loops sleep until they are woken, and wake-ups may be lost. */
  readonly noPolling?: boolean;
}

type World = Parameters<Rules["complete_work"]>[0];

/** The same world, with some of its answers changed. */
function changed(world: World, change: Partial<World>): World {
  return {
    now: world.now,
    ready: world.ready,
    expired: world.expired,
    due: world.due,
    run: (id) => world.run(id),
    work: (run, id) => world.work(run, id),
    workByKey: (run, key) => world.workByKey(run, key),
    patch: (run, id) => world.patch(run, id),
    dependents: (id) => world.dependents(id),
    openWork: (id) => world.openWork(id),
    ...change,
  };
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "no fence",
    rules: (rules) => ({
      ...rules,
      complete_work: (world, command, limits) => {
        const item = world.work(command.lease.run_id, command.lease.work_id);
        if (item?.status !== "leased" || item.lease_owner === null) return rules.complete_work(world, command, limits);
        const lease = { ...command.lease, lease_owner: item.lease_owner, lease_epoch: item.lease_epoch };
        return rules.complete_work(world, { ...command, lease }, limits);
      },
    }),
  },
  {
    name: "no idempotency",
    rules: (rules) => ({
      ...rules,
      apply_turn: (world, command, limits) => {
        const actions = command.actions.map((action, index) =>
          action.type === "request_work"
            ? {
                ...action,
                idempotency_key: `${action.idempotency_key}#${command.turn.turn_epoch}.${index}`,
                depends_on: [],
              }
            : action,
        );
        return rules.apply_turn(world, { ...command, actions }, limits);
      },
    }),
  },
  {
    name: "no parent check",
    rules: (rules) => ({
      ...rules,
      apply_turn: (world, command, limits) => {
        const revision = command.actions.find((action) => action.type === "create_revision");
        if (!revision) return rules.apply_turn(world, command, limits);
        const run: World["run"] = (id) => {
          const found = world.run(id);
          return found && { ...found, head_revision_id: revision.parent_revision_id };
        };
        return rules.apply_turn(changed(world, { run }), command, limits);
      },
    }),
  },
  { name: "acknowledgement before durability", earlyAcknowledgement: true },
  { name: "lost wake-up", noPolling: true },
  {
    name: "expiry off by one",
    rules: (rules) => ({
      ...rules,
      complete_work: (world, command, limits) =>
        rules.complete_work(changed(world, { now: world.now - 1 }), command, limits),
    }),
  },
  {
    name: "retry budget not counted",
    rules: (rules) => ({
      ...rules,
      sweep: (world, command, limits) => {
        const forgetful = world.expired.map((item) => ({ ...item, retry_count: 0 }));
        return rules.sweep(changed(world, { expired: forgetful }), command, limits);
      },
    }),
  },
  {
    name: "patch in two revisions",
    rules: (rules) => ({
      ...rules,
      apply_turn: (world, command, limits) => {
        const patch: World["patch"] = (run, id) => {
          const found = world.patch(run, id);
          return found && { ...found, applied_in_revision_id: null, rejected_in_revision_id: null };
        };
        return rules.apply_turn(changed(world, { patch }), command, limits);
      },
    }),
  },
  {
    name: "close with open work",
    rules: (rules) => ({
      ...rules,
      apply_turn: (world, command, limits) => {
        const run: World["run"] = (id) => {
          const found = world.run(id);
          return found && { ...found, open_work: 0 };
        };
        return rules.apply_turn(changed(world, { run }), command, limits);
      },
    }),
  },
  {
    name: "app turns not serialised",
    rules: (rules) => ({
      ...rules,
      apply_turn: (world, command, limits) => {
        const run: World["run"] = (id) => {
          const found = world.run(id);
          return (
            found && {
              ...found,
              turn_owner: command.turn.turn_owner,
              turn_epoch: command.turn.turn_epoch,
              turn_expires_at: world.now + 1,
            }
          );
        };
        return rules.apply_turn(changed(world, { run }), command, limits);
      },
    }),
  },
  {
    name: "replay drift",
    rules: (rules) => ({
      ...rules,
      sweep: (world, command, limits) => {
        const verdict = rules.sweep(world, command, limits);
        return verdict.ok ? ok({ ...verdict.value, events: [] }) : verdict;
      },
    }),
  },
  {
    name: "wrong run",
    rules: (rules) => {
      let other: RunId | undefined;
      return {
        ...rules,
        submit_patch: (world, command, limits) => {
          const verdict = rules.submit_patch(world, command, limits);
          const elsewhere = other;
          other = command.run_id;
          if (!verdict.ok || elsewhere === undefined) return verdict;
          return ok({
            ...verdict.value,
            patches: (verdict.value.patches ?? []).map((patch) => ({ ...patch, run_id: elsewhere })),
          });
        },
      };
    },
  },
];
