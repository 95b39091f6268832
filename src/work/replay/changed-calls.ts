import type { DomainError } from "#core/errors";
import type { ToolRegistry } from "#effects";
import { contractsChanged } from "#governance";
import type { Event } from "#log";

export interface ToolSources {
  readonly tools: Pick<ToolRegistry, "find">;
  /** How a tool differs from what was approved of it; undefined where it does not. */
  readonly toolDrift: (name: string, signal: AbortSignal | undefined) => Promise<string | undefined>;
}

/** Why a session does not go on: a call that it would make again is to a tool that has changed since. */
export async function changedCalls(
  events: readonly Event[],
  { tools, toolDrift }: ToolSources,
  signal: AbortSignal | undefined,
): Promise<DomainError | undefined> {
  const changes: string[] = [];
  for (const name of new Set(repeatedCalls(events, tools))) {
    const difference = await toolDrift(name, signal);
    if (difference !== undefined) changes.push(`the tool ${name} is not what was approved: ${difference}`);
  }
  return changes.length === 0 ? undefined : contractsChanged(changes);
}

/** The tools of the calls without an output that are made again, or asked after where they have become a task; a call in doubt is not, before a person says that nothing was done. */
function repeatedCalls(events: readonly Event[], tools: ToolSources["tools"]): readonly string[] {
  const open = new Map<string, string>();
  for (const { type, payload } of events) {
    if (type === "tool.invoke") {
      const { readOnly, idempotent } = tools.find(payload.name)?.tool.annotations ?? {};
      if (readOnly === true || idempotent === true) open.set(payload.call_id, payload.name);
    }
    if (type === "tool.deferred") open.set(payload.call_id, payload.name);
    if (type === "effect.resolved" && payload.outcome === "not_done") open.set(payload.call_id, payload.name ?? "");
    if (type === "effect.resolved" && payload.outcome === "done") open.delete(payload.call_id);
    if (type === "tool.output") open.delete(payload.call_id);
  }
  return [...open.values()];
}
