import type { MandateV1 } from "#core/contracts";
import { harmless, oneLine, type Screen } from "#core/terminal";
import { clauseText, codeNamedBy } from "#governance/mandate";
import type { OrderExplanation } from "../flow/explain-order.ts";
import { rightsText } from "./render-rights.ts";

/** A work order's rights for a person: what is asked for, what is granted, by whom, what is missing, and what would be sent. */
export function renderOrder(order: OrderExplanation, screen: Screen): string {
  const mark = (granted: boolean) => (granted ? screen.green(screen.sign.ok) : screen.red(screen.sign.bad));
  const { budget, mandate } = order;
  const money = budget.usd_limit === undefined ? "" : `, $${budget.usd_limit.toFixed(2)}`;
  const lines = [
    `${screen.bold(order.work_order_id)}  ${order.framework_id} ${screen.sign.dot} ${order.agent_class} ${screen.sign.dot} ${order.tier}`,
    `budget  ${budget.token_limit.toLocaleString("en-US")} tokens, ${budget.turn_limit} model call${budget.turn_limit === 1 ? "" : "s"}, ${budget.timeout_seconds} s${money}`,
    `skill   ${order.skill ? `${order.skill.id}: ${order.skill.reason}` : "none"}`,
    "",
    `asked for, and granted by ${order.authorization.by}:`,
    ...order.authorization.needs.map(
      (need) => `  ${mark(need.granted)} ${need.right.padEnd(28)} ${screen.dim(need.because)}`,
    ),
    "",
    "tools:",
    ...order.tools.map(({ tool, allowed, because }) => `  ${mark(allowed)} ${tool.padEnd(12)} ${screen.dim(because)}`),
    ...permissionLines(mandate),
    "",
    "paths that may be read are those that all of these name:",
    ...sourceLines(mandate.read, screen),
    ...mandate.forbidden
      .filter(({ patterns }) => patterns.length > 0)
      .map(({ patterns, ...clause }) => named(`and none of ${clauseText(clause)}`, patterns, screen)),
    "",
    "paths that may be written are those that all of these name:",
    ...order.paths.map(({ source, patterns }) => named(source, patterns, screen)),
    ...codeLines(order, screen),
    "",
    ...narrowedLines("programs", mandate.programs, screen),
    ...narrowedLines("hosts", mandate.hosts, screen),
    ...narrowedLines("models", mandate.models, screen),
    ...approvalLines(mandate),
    ...valueLines(mandate),
    ...limitLines(mandate, screen),
    "",
    ...previewLines(order, screen),
    ...rightsText(order.last_run, screen),
  ];
  return lines.join("\n");
}

/** By which rules the values of its calls are judged, and who named them. */
function valueLines({ values }: MandateV1): readonly string[] {
  if (values === undefined || values.rights.pack === "off") return [];
  const { rights, chosen, packs = [], added = [] } = values;
  const fileOf = (pack: string) =>
    packs.find(({ id }) => id === pack)?.file ?? `workflows/policies/values/${pack.replace(/^values\//, "")}.md`;
  const by = chosen === undefined ? clauseText(values) : `${clauseText(chosen)} in place of ${chosen.pack}`;
  const own = rights.rules?.length ?? 0;
  return [
    `values of calls are judged by ${rights.pack} (${fileOf(rights.pack)}), says ${by}`,
    ...(own > 0 ? [`  first by ${own} rule${own === 1 ? "" : "s"} of ${values.document}`] : []),
    ...added.map(
      ({ rules, ...clause }) =>
        `  and as strictly as ${rules.length} rule${rules.length === 1 ? "" : "s"} of ${clauseText(clause)} say`,
    ),
    ...(rights.shadow ?? []).map((pack) => `  ${pack} (${fileOf(pack)}) watches`),
    "",
  ];
}

/** Files that run by themselves have a line of their own: no other pattern names them. */
function codeLines({ mandate }: OrderExplanation, screen: Screen): readonly string[] {
  const rule = mandate.code_that_runs;
  if (rule === undefined) return [];
  const exact = new Set(
    mandate.write
      .filter(({ document }) => document === rule.document)
      .flatMap(({ lists }) => lists.flatMap(({ patterns }) => patterns))
      .filter((pattern) => codeNamedBy(pattern) !== undefined && !rule.patterns.includes(pattern)),
  );
  return [
    "",
    "code that runs (package.json, build and CI files, instructions of agents) may be written where these name it:",
    named(clauseText(rule), rule.patterns, screen),
    ...(exact.size > 0 ? [named("named exactly", [...exact], screen)] : []),
  ];
}

function named(source: string, patterns: readonly string[], screen: Screen): string {
  return `  ${source}: ${patterns.join(", ") || screen.yellow("none")}`;
}

function sourceLines(sources: MandateV1["read"], screen: Screen): readonly string[] {
  return sources.map(({ document, lists }) => {
    const places = lists.map(({ path }) => path).join(", ");
    return named(
      clauseText({ document, path: places }),
      [...new Set(lists.flatMap(({ patterns }) => patterns))],
      screen,
    );
  });
}

function permissionLines({ permissions }: MandateV1): readonly string[] {
  return permissions.flatMap(({ max_calls, args_schema, args = {}, opens = [], tool, ...clause }) => {
    const limits = [
      ...(max_calls === undefined ? [] : [`at most ${max_calls} call${max_calls === 1 ? "" : "s"}`]),
      ...(args_schema === undefined
        ? []
        : [`arguments as ${typeof args_schema === "string" ? args_schema : oneLine(JSON.stringify(args_schema))}`]),
    ];
    const taken = Object.entries(args).map(([name, { sink }]) => `${name} as ${sink}`);
    if (taken.length > 0) limits.push(`takes ${taken.join(", ")}`);
    if (opens.length > 0) limits.push(`opens sealed values from ${opens.join(", ")}`);
    return limits.length === 0 ? [] : [`    ${tool}: ${limits.join(", ")}  (${clauseText(clause)})`];
  });
}

/** Kinds of acts that documents only narrow. */
function narrowedLines(what: string, sources: MandateV1["hosts"], screen: Screen): readonly string[] {
  if (sources.length === 0) return [`${what}: no document narrows them`];
  return [`${what} are those that all of these name:`, ...sourceLines(sources, screen)];
}

function approvalLines({ approvals }: MandateV1): readonly string[] {
  if (approvals.length === 0) return ["a person is asked about nothing by a document; a hook may want it"];
  return [
    "a person is asked first about:",
    ...approvals.map(
      ({ tools = [], files = [], reason, ...clause }) =>
        `  ${[...tools, ...files].join(", ")}: ${oneLine(reason)}  (${clauseText(clause)})`,
    ),
  ];
}

function limitLines({ limits, delegation, landing }: MandateV1, screen: Screen): readonly string[] {
  const row = (name: string, { value, ...clause }: { value: number | string; document: string; path: string }) =>
    `  ${name.padEnd(16)} ${String(value).padEnd(10)} ${screen.dim(clauseText(clause))}`;
  return [
    "limits, and who set them:",
    row("tokens", limits.token_limit),
    row("model calls", limits.turn_limit),
    row("seconds", limits.timeout_seconds),
    ...(limits.usd_limit ? [row("dollars", limits.usd_limit)] : []),
    row("orders below", delegation.max_depth),
    row("at once", delegation.max_children),
    ...(delegation.max_in_all ? [row("in all", delegation.max_in_all)] : []),
    row("landing", landing),
  ];
}

function previewLines({ preview }: OrderExplanation, screen: Screen): readonly string[] {
  const { context, prompts, problems } = preview;
  const indented = (text: string) =>
    harmless(text)
      .split("\n")
      .map((line) => `    ${line}`);
  return [
    ...(context === null
      ? []
      : [
          `context, as it would be read now: ${context.fragments.length} piece${context.fragments.length === 1 ? "" : "s"}, ${context.tokens} tokens (${context.template_id ?? "no template"}, ${context.outcome})`,
          ...context.fragments.map(({ origin, trust }) => `  ${harmless(origin)}  ${screen.dim(trust)}`),
          ...context.warnings.map((warning) => `  ${screen.yellow(harmless(warning))}`),
        ]),
    ...prompts.flatMap(({ role, contract_id, messages }) => [
      `first prompt, to the ${role}${contract_id === null ? "" : ` under ${contract_id}`}, before hooks:`,
      ...messages.flatMap(({ role: speaker, content }) => [`  ${screen.bold(speaker)}`, ...indented(content)]),
    ]),
    ...problems.map((problem) => `${screen.red(screen.sign.bad)} ${harmless(problem)}`),
    "",
  ];
}
