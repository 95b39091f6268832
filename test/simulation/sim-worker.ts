import { type Clock, sleep } from "#core/values";
import type { WorkHandler } from "#runs";
import type { Chance } from "./chance.ts";
import type { Faults } from "./faults.ts";
import { capabilities } from "./sim-app.ts";

/** Work that takes its time, makes patches, and in a bad world fails, blocks, throws, hangs and ignores its signal. */
export function simHandlers(options: {
  readonly chance: Chance;
  readonly faults: () => Faults;
  readonly clock: Clock;
}): Readonly<Record<string, WorkHandler>> {
  const { chance, faults, clock } = options;
  const handler: WorkHandler = async (lease, context) => {
    const bad = chance.hit(faults().badWorker);
    await sleep(
      clock,
      bad ? chance.between(0, 900) : chance.between(0, 120),
      bad && chance.hit(0.5) ? undefined : context.signal,
    );
    const op = { op: "text.edit", find: lease.work_id, replace: "x" };
    if (chance.hit(0.2)) await context.submitPatch({ base_revision_id: null, ops: [op] });
    if (bad && chance.hit(0.2)) throw new Error("the worker fell over");
    if (bad && chance.hit(0.2)) return { status: "failed", reason: "cannot", code: "TOOL_ERROR" };
    if (bad && chance.hit(0.2)) return { status: "blocked", reason: "needs a person" };
    if (bad && chance.hit(0.1)) return { status: "released", reason: "not now" };
    const patches = chance.hit(0.6) ? [{ base_revision_id: null, ops: [op] }] : [];
    return { status: "completed", patches, result: { by: lease.lease_owner } };
  };
  return Object.fromEntries(capabilities.map((capability) => [capability, handler]));
}
