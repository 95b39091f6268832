import { type Screen, shellWord } from "#core/terminal";
import type { FrameworkProblem, InspectedContract, InspectedFramework } from "../frameworks/inspect-frameworks.ts";
import type { TighterRule } from "../frameworks/tighten-framework.ts";
import type { NewFramework } from "../frameworks/write-framework.ts";

export function describeNew({ framework_id, created, kept }: NewFramework, screen: Screen): string {
  if (created.length === 0)
    return `${screen.green(screen.sign.ok)} ${framework_id} is there already; nothing was changed\n`;
  return [
    `${screen.green(screen.sign.ok)} ${screen.bold(framework_id)} is written`,
    ...created.map((path) => `  made  ${path}`),
    ...kept.map((path) => `  kept  ${path} ${screen.dim("(there before, not touched)")}`),
    "",
    "next: read the manifest and say what its agents may do, then",
    `  ${screen.cyan(`writ framework check ${framework_id}`)}`,
    `  ${screen.cyan("writ pkg adopt")}`,
    `  ${screen.cyan(`writ run --framework ${framework_id} ${shellWord("your request")}`)}`,
    "Until it is adopted no agent acts in this workspace: a file that governs has an owner.",
    "",
  ].join("\n");
}

export function describeCheck(
  frameworks: readonly InspectedFramework[],
  adoption: readonly FrameworkProblem[],
  screen: Screen,
): string {
  const lines = frameworks.flatMap(({ framework_id, path, manifest, contracts, strategies, problems }) => [
    `${problems.length === 0 ? screen.green(screen.sign.ok) : screen.red(screen.sign.bad)} ${screen.bold(framework_id)} ${screen.dim(path)}`,
    ...problems.flatMap((problem) => asLines(problem, screen)),
    ...(manifest && manifest.status !== "active" ? [`    ${whatStatusMeans[manifest.status]}`] : []),
    ...contracts.flatMap(({ contract_id, parameters }) => parametersLine(contract_id, parameters)),
    ...strategies.flatMap(({ strategy_id, parameters }) => parametersLine(strategy_id, parameters)),
  ]);
  if (frameworks.length === 0)
    lines.push(`this workspace has no framework of its own; ${screen.cyan("writ framework new FMWK-MINE")} writes one`);
  if (adoption.length > 0)
    lines.push(
      "",
      `${screen.red(screen.sign.bad)} ${adoption.length === 1 ? "1 file is" : `${adoption.length} files are`} not adopted, and no agent acts here before`,
      ...adoption.flatMap((problem) => asLines(problem, screen)),
    );
  return `${lines.join("\n")}\n`;
}

const whatStatusMeans = {
  draft: "its status is draft: orders under it are refused until it says active",
  deprecated: "its status is deprecated: orders under it run, with a warning",
  retired: "its status is retired: orders under it are refused",
};

function asLines({ where, message, repair }: FrameworkProblem, screen: Screen): readonly string[] {
  return [
    `    ${message.startsWith(where) ? message : `${where}: ${message}`}`,
    ...(repair === undefined ? [] : [`      ${screen.cyan(repair)}`]),
  ];
}

function parametersLine(id: string, parameters: readonly string[]): readonly string[] {
  return parameters.length === 0 ? [] : [`    ${id} takes input: { ${parameters.join(", ")} }`];
}

export function describeFramework(
  { framework_id, from, path, manifest, contracts, strategies, problems }: InspectedFramework,
  screen: Screen,
): string {
  const lines = [`${screen.bold(framework_id)} ${manifest?.title ?? ""} ${screen.dim(`${path}, ${from}`)}`];
  const row = (name: string, values: readonly string[] | undefined, absent: string) =>
    lines.push(`  ${name.padEnd(12)} ${values === undefined ? screen.dim(absent) : values.join(", ") || "none"}`);
  if (manifest) {
    const { default_budget, approvals = [], invariants = [] } = manifest;
    row("status", [`${manifest.status} ${manifest.version}`], "");
    row("ring", [`${manifest.ring}, plane ${manifest.plane_id} and below`], "");
    row("agents", manifest.agent_classes, "");
    row("writes", manifest.path_authorizations ?? [], "");
    row("reads", manifest.read_authorizations, "what the order says");
    if (manifest.forbidden_files) row("never", manifest.forbidden_files, "");
    row("tools", manifest.tools, "what the order says");
    row("hosts", manifest.hosts, "what the order says");
    row("models", manifest.models, "what the order says");
    if (default_budget)
      row(
        "budget",
        Object.entries(default_budget).map(([name, value]) => `${name} ${value}`),
        "",
      );
    row("gates", manifest.required_gates ?? [], "");
    for (const { tools = [], files = [], reason } of approvals)
      row("asks about", [`${[...tools, ...files].join(", ")}: ${reason}`], "");
    for (const { level, statement, expression } of invariants)
      row(level, [`${statement}${expression === undefined ? "" : screen.dim(` (${expression})`)}`], "");
  }
  for (const contract of contracts) row("contract", [describeContract(contract)], "");
  for (const { strategy_id, title, steps, parameters } of strategies)
    row(
      "strategy",
      [
        `${strategy_id} ${title ?? ""} (steps ${[steps.join(", "), ...(parameters.length > 0 ? [`input ${parameters.join(", ")}`] : [])].join("; ")})`,
      ],
      "",
    );
  lines.push(...problems.flatMap((problem) => asLines(problem, screen)));
  return `${lines.join("\n")}\n`;
}

function describeContract({ contract_id, title, applies_to = {}, parameters }: InspectedContract): string {
  const { types, roles } = applies_to;
  const about = [
    ...(types ? [`types ${types.join(", ")}`] : []),
    ...(roles ? [`roles ${roles.join(", ")}`] : []),
    ...(parameters.length > 0 ? [`input ${parameters.join(", ")}`] : []),
  ];
  return `${contract_id} ${title ?? ""}${about.length === 0 ? "" : ` (${about.join("; ")})`}`;
}

/** What the recorded orders would have needed, as a difference that a person can take over. */
export function describeTightening(
  proposal: {
    readonly framework_id: string;
    readonly orders: number;
    readonly rules: readonly TighterRule[];
    readonly reads_known: boolean;
    readonly difference: string;
  },
  screen: Screen,
): string {
  const { framework_id, orders, rules, reads_known, difference } = proposal;
  if (orders === 0) return `No order under ${framework_id} has succeeded yet: there is nothing to go by.\n`;
  const over = `${orders} order${orders === 1 ? "" : "s"}`;
  const unseen = reads_known
    ? ""
    : screen.dim("programs ran whose reads are not recorded: no rule for reading is proposed\n");
  if (rules.length === 0) return `${framework_id} grants no more than ${over} used.\n${unseen}`;
  return `${framework_id} grants more than ${over} used. Narrower, they would have gone the same way:\n\n${difference}\n${unseen}${screen.dim("nothing was written; after a change: writ framework check, writ pkg adopt")}\n`;
}
