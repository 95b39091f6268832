import { shippedRegistry } from "#core/contracts";
import { type Cycle } from "#workflows";
import { checkWorkflows } from "../../src/workflows/check/check-workflows.ts";
import { type Problem } from "../../src/workflows/definitions/problem.ts";
import { createWorkflows, type Inspection } from "../../src/workflows/definitions/registry.ts";
import { definitions } from "./cycle-workspace.ts";
import { memoryFiles } from "./memory-files.ts";

/** The small world of definitions with changes: a text replaces a file, a function changes it. */
export type Changes = Readonly<Record<string, string | ((text: string) => string)>>;

export async function inspectWorld(changes: Changes = {}): Promise<Inspection> {
  const files: Record<string, string> = { ...definitions };
  for (const [path, change] of Object.entries(changes))
    files[path] = typeof change === "string" ? change : change(files[path] ?? "");
  const workflows = createWorkflows({
    files: memoryFiles(Object.fromEntries(Object.entries(files).map(([path, text]) => [`/w/${path}`, text]))),
    schemas: shippedRegistry(),
    roots: [{ origin: "workspace", folder: "/w" }],
  });
  const inspected = await workflows.inspect();
  if (!inspected.ok) throw new Error(inspected.error.message);
  return inspected.value;
}

export async function cycleOf(changes: Changes = {}, id = "tidy"): Promise<Cycle> {
  const { cycles, problems } = await inspectWorld(changes);
  const cycle = cycles.get(id);
  if (!cycle) throw new Error(problems.map(({ file, line, message }) => `${file}:${line}: ${message}`).join("\n"));
  return cycle;
}

export async function foundIn(changes: Changes): Promise<readonly Problem[]> {
  return checkWorkflows(await inspectWorld(changes), shippedRegistry());
}
