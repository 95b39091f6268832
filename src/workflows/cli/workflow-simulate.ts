import { argument, type Command, numberOption, text } from "#core/commands";
import type { SchemaRegistry } from "#core/contracts";
import type { Screen } from "#core/terminal";
import { ok, type Result } from "#core/values";
import type { Cycle } from "../definitions/cycle.ts";
import type { Workflows } from "../definitions/registry.ts";
import type { Scenario } from "../simulate/scenario.ts";
import type { SimulatedFinding } from "../simulate/settle-simulated.ts";
import type { SimulatedStep, Simulation } from "../simulate/simulate-cycle.ts";
import { modeOf, modes, readInput } from "./workflow-input.ts";

interface SimulateParts {
  readonly workflows: Workflows;
  readonly schemas: SchemaRegistry;
}

interface SimulateOptions {
  readonly findings?: string;
  readonly seed?: string;
  readonly mode?: string;
}

export const workflowSimulate: Command<"workflows", SimulateParts, SimulateOptions> = {
  name: "simulate",
  summary: "walk a cycle with given or generated findings and show which way each gate would go, without a model",
  needs: "workflows",
  json: "cycle_id, verdict, reason and steps",
  arguments: [argument("cycle", "the id of the cycle")],
  options: {
    findings: text("file", "what happens, phase by phase (schema workflow_scenario_v1); without it nothing is found"),
    seed: text("number", "generate findings; the same number gives the same ones"),
    mode: text("mode", modes.join(", ")),
  },
  examples: [
    "writ workflow simulate code-review --seed 7",
    "writ workflow simulate bug-fix --findings scenario.yaml --json",
  ],
  exits: null,
  run: async ({ workflows, schemas }, { arguments: [id = ""], options, context }) => {
    const registry = await workflows.registry();
    if (!registry.ok) return registry;
    const cycle = registry.value.cycle(id);
    if (!cycle.ok) return cycle;
    const scenario = await scenarioOf(cycle.value, options, context.cwd);
    if (!scenario.ok) return scenario;
    const checked = schemas.validate("workflow_scenario_v1", scenario.value);
    if (!checked.ok) return checked;
    const { decisionsByThemselves, simulateCycle } = await import("../simulate/simulate-cycle.ts");
    const simulation = simulateCycle(cycle.value, checked.value, schemas);
    return ok({ json: simulation, text: (screen) => describe(simulation, screen, decisionsByThemselves) });
  },
};

async function scenarioOf(
  cycle: Cycle,
  { findings, seed, mode }: SimulateOptions,
  cwd: string,
): Promise<Result<Scenario>> {
  const asked = modeOf(mode);
  if (!asked.ok) return asked;
  const chosen = asked.value === undefined ? {} : { mode: asked.value };
  if (seed === undefined) {
    const given = await readInput(findings, cwd);
    return given.ok ? ok({ ...given.value, ...chosen }) : given;
  }
  const number = numberOption("--seed", seed, { least: -Number.MAX_SAFE_INTEGER });
  if (!number.ok) return number;
  const { generateScenario } = await import("../simulate/generate-findings.ts");
  return ok({ ...generateScenario(cycle, number.value), ...chosen });
}

type DecisionsOf = (step: SimulatedStep) => SimulatedStep["decisions"];

function describe({ cycle_id, verdict, reason, steps }: Simulation, screen: Screen, shown: DecisionsOf): string {
  const colour = verdict === "done" ? screen.green : screen.red;
  return `${steps.map((step) => describeStep(step, screen, shown(step))).join("\n")}\n${colour(verdict)} ${screen.bold(cycle_id)}: ${reason}\n`;
}

/** The finding with its route, which rule sent it there, and how it would end. */
function describeFinding(finding: SimulatedFinding, screen: Screen): readonly string[] {
  const { severity, title, file, line, route, policy, rule, reason, outcome, end } = finding;
  const where = file === null ? "" : ` ${screen.dim(line === null ? file : `${file}:${line}`)}`;
  const ruled = policy === null ? "" : `${policy}${rule === null ? "" : ` rule ${rule + 1}`}, `;
  const sign = { applied: screen.green(outcome), refused: screen.red(outcome), left: outcome }[outcome];
  return [
    `    ${severity} ${title}${where}`,
    `       ${screen.bold(route ?? "no route")}: ${ruled}${reason}`,
    `       ${sign}: ${end}`,
  ];
}

function describeStep(step: SimulatedStep, screen: Screen, decisions: SimulatedStep["decisions"]): string {
  const asked = step.personas.map(({ persona, asked: is, reason }) =>
    is ? persona : `${screen.red(persona)} (${reason})`,
  );
  const counted = new Map<string, number>();
  for (const { policy, decision, reason, shadow } of decisions) {
    const line = `${policy}${shadow ? " (shadow)" : ""}: ${decision}, ${reason}`;
    counted.set(line, (counted.get(line) ?? 0) + 1);
  }
  const gates = [...counted].map(([line, times]) => `    ${times > 1 ? `${times} × ` : ""}${line}`);
  const signals = step.signals.map(({ signal, expression, value }) => {
    const shown = value === "true" ? screen.green(value) : value === "error" ? screen.red(value) : value;
    return `    ${shown.padEnd(5)} ${signal}: ${screen.dim(expression)}`;
  });
  const where = step.to === null ? step.outcome : `${step.outcome} to ${step.to}`;
  return [
    `${screen.bold(step.phase)} ${screen.dim(`visit ${step.visit}, generation ${step.generation}`)}`,
    ...(asked.length > 0 ? [`    asks ${asked.join(", ")}`] : []),
    ...gates,
    ...step.findings.flatMap((finding) => describeFinding(finding, screen)),
    ...signals,
    `    ${screen.bold(where)}: ${step.reason}`,
    "",
  ].join("\n");
}
