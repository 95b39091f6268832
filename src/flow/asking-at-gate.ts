import type { AskAtGate } from "#hooks";
import type { ExecutionContext } from "./execution-context.ts";
import type { FlowDependencies, FlowState } from "./flow.ts";

/** How a gate of this flow reaches a person; nothing where nobody can be asked. */
export function askingAtGate(
  { askAtGate }: Pick<FlowDependencies, "askAtGate">,
  { session }: FlowState,
  { caller_id }: ExecutionContext,
): { readonly askAtGate?: AskAtGate } {
  return askAtGate ? { askAtGate: (held) => askAtGate(held, { caller_id, session }) } : {};
}
