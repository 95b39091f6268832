import type { SchemaTypes } from "#core/contracts";
import { ok } from "#core/values";
import { type BuiltinSpec, builtin } from "./builtin-spec.ts";

/** Keeps the agent's own list of steps, for itself and for those who watch. It changes nothing but the record. */
export const todo: BuiltinSpec<"todo"> = builtin({
  name: "todo",
  description: "Keeps your list of steps for longer work: give the whole list with the state of each item.",
  annotations: { readOnly: true, idempotent: true, openWorld: false },
  trust: "trusted",
  acts: () => [],
  invoke: async ({ items }, context) => {
    const recorded = context.recorder.stage({
      type: "plan.updated",
      actor: context.role,
      payload: { key: context.idempotency_key, items: items.map(({ text, state }) => ({ text, state })) },
    });
    if (!recorded.ok) return recorded;
    return ok({
      open: count(items, "open"),
      active: count(items, "active"),
      done: count(items, "done"),
      dropped: count(items, "dropped"),
    });
  },
});

type Items = SchemaTypes["todo.args_v1"]["items"];

function count(items: Items, state: Items[number]["state"]): number {
  return items.filter((item) => item.state === state).length;
}
