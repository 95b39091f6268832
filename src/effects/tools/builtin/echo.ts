import { ok } from "#core/values";
import { type BuiltinSpec, builtin } from "./builtin-spec.ts";

/** Gives back its argument: the first tool of every newcomer, and the measure of what dispatch itself costs. */
export const echo: BuiltinSpec<"echo"> = builtin({
  name: "echo",
  description: "Gives back the text it is given.",
  annotations: { readOnly: true, idempotent: true, openWorld: false },
  trust: "trusted",
  acts: () => [],
  invoke: (args) => Promise.resolve(ok({ text: args.text })),
});
