import type { Command } from "#core/commands";
import { exitStatus } from "#core/commands";
import type { SchemaRegistry } from "#core/contracts";
import type { Screen } from "#core/terminal";
import { ok } from "#core/values";
import type { Problem } from "../definitions/problem.ts";
import type { Workflows } from "../definitions/registry.ts";

interface CheckParts {
  readonly workflows: Workflows;
  readonly schemas: SchemaRegistry;
}

export const workflowCheck: Command<"workflows", CheckParts> = {
  name: "check",
  summary: "whether every definition is sound: all problems at once, with file, line and a way out",
  needs: "workflows",
  json: "ok, cycles, definitions, problems and skipped",
  arguments: [],
  options: {},
  examples: ["writ workflow check"],
  exits: { 1: "a definition is not sound" },
  run: async ({ workflows, schemas }) => {
    const inspected = await workflows.inspect();
    if (!inspected.ok) return inspected;
    const { checkWorkflows } = await import("../check/check-workflows.ts");
    const found = checkWorkflows(inspected.value, schemas);
    const { definitions, cycles, skipped } = inspected.value;
    const isSound = found.length === 0;
    return ok({
      json: { ok: isSound, cycles: cycles.size, definitions: definitions.length, problems: found, skipped },
      text: (screen) => describe(screen, found, skipped, `${cycles.size} cycles, ${definitions.length} definitions`),
      exit: isSound ? exitStatus.done : exitStatus.failed,
    });
  },
};

function describe(screen: Screen, problems: readonly Problem[], skipped: readonly Problem[], counted: string): string {
  const line = ({ file, line: at, message, hint }: Problem) =>
    `${screen.bold(`${file}:${at}`)}: ${message}\n    ${screen.dim(hint)}\n`;
  const passed = skipped.map(
    (each) => `${screen.yellow(screen.sign.warn)} ${each.file}: not taken as a persona, ${each.message}\n`,
  );
  const head =
    problems.length === 0
      ? `${screen.green(screen.sign.ok)} ${counted}: all sound\n`
      : `${screen.red(`${problems.length} problem${problems.length === 1 ? "" : "s"}`)} in ${counted}\n`;
  return [...problems.map(line), ...passed, head].join("");
}
