import type { WorkOrder } from "#core/contracts";
import type { JsonObject, Result } from "#core/values";
import type { Cycle, Mode, Persona, Workflows } from "#workflows";
import { type OrderNumbers, writeOrder } from "./write-order.ts";

export interface CycleOrderInput {
  /** The prompt of the order; the cycle's title if absent. */
  readonly prompt?: string;
  readonly input?: JsonObject;
  readonly mode?: Mode;
  readonly profile?: string;
  /** Paths that may be written, besides those that its personas and artifacts name. */
  readonly allow?: readonly string[];
  /** Files of the class code-that-runs that may be written. */
  readonly allowCode?: readonly string[];
}

/**
 * The work order of a cycle that a person starts: the tools and paths that its personas and artifacts name, and nothing
 * beyond. An unknown cycle gets an order without any rights, which the flow refuses and records.
 */
export async function writeCycleOrder(
  sources: OrderNumbers & { readonly workflows: Workflows },
  cycle_id: string,
  wanted: CycleOrderInput,
): Promise<Result<WorkOrder>> {
  const registry = await sources.workflows.registry();
  if (!registry.ok) return registry;
  const found = registry.value.cycle(cycle_id);
  const cycle = found.ok ? found.value : null;
  const parts = {
    type: "cycle",
    cycle: cycle_id,
    allowedFiles: [...new Set([...(cycle ? pathsOf(cycle) : []), ...(wanted.allow ?? [])])],
    codeThatRuns: wanted.allowCode ?? [],
    readFiles: ["**"],
    input: { ...wanted.input, prompt: wanted.prompt ?? promptOf(wanted.input) ?? titleOf(cycle) },
    tools: cycle ? [...toolsOf(cycle)] : [],
    ...(wanted.mode === undefined ? {} : { mode: wanted.mode }),
    ...(wanted.profile === undefined ? {} : { profile: wanted.profile }),
  };
  return writeOrder(parts, sources);
}

function personasOf({ phases }: Cycle): readonly Persona[] {
  const all = new Map<string, Persona>();
  const add = (persona: Persona): void => {
    all.set(persona.id, persona);
    persona.dispatches.forEach(add);
  };
  for (const phase of phases) for (const { persona } of phase.agents) add(persona);
  return [...all.values()];
}

function toolsOf(cycle: Cycle): ReadonlySet<string> {
  const tools = new Set(personasOf(cycle).flatMap(({ definition }) => definition.tools));
  if (cycle.phases.some(({ artifacts }) => artifacts.length > 0)) tools.add("fs.write");
  if (mends(cycle)) for (const name of ["fs.read", "fs.write"]) tools.add(name);
  return tools;
}

/** Whether a policy of the cycle may have a finding's fix applied. Where it may be written is another question. */
function mends({ policies, phases }: Cycle): boolean {
  return [...policies, ...phases.flatMap((phase) => phase.policies)].some(({ rules }) =>
    rules.some(({ then }) => then === "apply" || then === "gated"),
  );
}

function pathsOf(cycle: Cycle): readonly string[] {
  const written = personasOf(cycle).flatMap(({ definition }) => definition.data["write-paths"] ?? []);
  const named = cycle.phases.flatMap(({ artifacts }) => artifacts).map(({ data }) => data.naming);
  return [...written, ...named.map((naming) => naming.replaceAll(/\{[a-z]+\}/g, "*"))];
}

function promptOf(input: JsonObject | undefined): string | undefined {
  const prompt = input?.["prompt"];
  return typeof prompt === "string" ? prompt : undefined;
}

function titleOf(cycle: Cycle | null): string {
  return cycle?.definition.data.title ?? cycle?.id ?? "";
}
