import { ok } from "#base";
import type { EchoArgsV1 } from "#schemas";
import { type BuiltinSpec, typedInvoke } from "./builtin-spec.ts";

/** Says back what it is told: the first tool of every newcomer, and the measure of what dispatch itself costs. */
export const echo: BuiltinSpec = {
  name: "echo",
  description: "Gives back the text it is given.",
  annotations: { readOnly: true, idempotent: true, openWorld: false },
  trust: "trusted",
  invoke: typedInvoke((args: EchoArgsV1) => Promise.resolve(ok({ text: args.text }))),
};
