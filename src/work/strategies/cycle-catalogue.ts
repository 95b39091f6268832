import { ok, type Result } from "#core/values";
import type { FlowDependencies } from "../flow/flow.ts";

const mostCycles = 40;
const mostDescription = 200;
const heading = "# Cycles\n\nWork in phases, with gates between them. Where one fits, name it.\n";

/** The cycles of a workspace by name and description; empty where there are none, or their files cannot be read. */
export async function cycleCatalogue(workflows: FlowDependencies["workflows"]): Promise<Result<string>> {
  const registry = await workflows.registry();
  if (!registry.ok) return registry.error.kind === "log" ? registry : ok("");
  const lines = registry.value
    .list()
    .slice(0, mostCycles)
    .map(
      ({
        id,
        definition: {
          data: { title, description = title },
        },
      }) => `- ${id}: ${oneLine(description ?? id)}`,
    );
  return ok(lines.length === 0 ? "" : [heading, ...lines].join("\n"));
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > mostDescription ? `${line.slice(0, mostDescription - 1).toWellFormed()}…` : line;
}
