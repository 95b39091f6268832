import type { BudgetV1, MandateV1, PromptContractV1, WorkOrder } from "#core/contracts";
import { canonicalJson, sha256 } from "#core/values";
import { isReadRule } from "../claude/permissions/permission-rule.ts";
import type { Framework } from "../frameworks/framework.ts";
import type { DeclaredTools } from "../values/declared-tools.ts";
import type { Clause } from "./act.ts";
import { codeListPath } from "./code-that-runs.ts";
import { judgingFiles } from "./judging-files.ts";
import { copySource, type Source } from "./sources.ts";
import { valuesOfOrder } from "./values-of-order.ts";

/** The documents that a mandate is compiled from. */
export interface MandateInput {
  readonly order: WorkOrder;
  readonly framework: Pick<Framework, "manifest">;
  /** The skill that the order runs with; null where none was chosen. */
  readonly skill: {
    readonly id: string;
    readonly allowedTools: readonly string[];
    /** Whether it has a list of tools; absent it has. */
    readonly limitsTools?: boolean;
    /** Command lines that it limits programs to. */
    readonly programs?: readonly string[];
    /** Its list of tools as it is written: settings ask about nothing that it names. */
    readonly declaredTools?: readonly string[];
    /** Rules of what it takes away. */
    readonly deniedTools?: readonly string[];
  } | null;
  readonly contract?: PromptContractV1 | undefined;
  readonly config: MandateConfig;
  /** What else has to agree: links of its authorization, rights of its caller. */
  readonly further?: Narrowing;
  /** The mandate of the order that handed this one down. */
  readonly within?: MandateV1 | undefined;
  /** What settings files of Claude Code say about calls. */
  readonly settings?: MandateV1["settings"] | undefined;
  /** The policies that say how its values are judged, as they stand now. */
  readonly packs?: NonNullable<MandateV1["values"]>["packs"];
  /** What programs say of the arguments of their own tools. */
  readonly declaredTools?: DeclaredTools;
  /** The session began before reads were held: what it may read was not limited then. */
  readonly readsUnheld?: boolean;
  /** What people declared of tools when they approved them. */
  readonly approvedTools?: NonNullable<MandateV1["values"]>["approved"];
  /** The session began when values were judged only where a framework said so. */
  readonly valuesUnjudged?: boolean;
}

/** What the configuration gives where an order and its framework are silent, and where it bounds both. */
export interface MandateConfig {
  readonly default_budget: RequiredLimits;
  readonly execution_timeout_seconds: number;
  readonly delegation: { readonly max_depth: number; readonly max_fan_out: number };
  /** Further names of the class code-that-runs. */
  readonly code_names?: readonly string[];
}

type RequiredLimits = Required<Omit<BudgetV1, "usd_limit">> & Pick<BudgetV1, "usd_limit">;

/** Further sources, each of which has to agree. They can only take away. */
export interface Narrowing {
  readonly tools?: readonly Source[];
  readonly read?: readonly Source[];
  readonly write?: readonly Source[];
  readonly programs?: readonly Source[];
  readonly hosts?: readonly Source[];
  readonly models?: readonly Source[];
}

/** Compiles everything that grants and limits an order into one document. Made once; nothing reads a limit elsewhere. */
export function compileMandate(input: MandateInput): MandateV1 {
  const { order, framework, skill, contract, config, further = {}, settings } = input;
  const { manifest } = framework;
  const own = `work order ${order.work_order_id}`;
  const itsFramework = `framework ${manifest.framework_id}`;
  const { allowed_files = [], read_files = [], forbidden_files = [], programs, hosts, models } = order.scope;
  const code = list(codeListPath, order.scope.code_that_runs ?? []);
  const readable = list("scope.read_files", read_files);
  const writable = list("scope.allowed_files", allowed_files);
  return {
    work_order_id: order.work_order_id,
    work_order_hash: sha256(canonicalJson(order)),
    framework_id: manifest.framework_id,
    skill: skill?.id ?? null,
    prompt_contract_id: contract?.contract_id ?? null,
    profile: order.profile ?? null,
    tools: [
      { document: own, lists: [list("tool_permissions", toolNames(order))] },
      ...when(manifest.tools, (tools) => ({ document: itsFramework, lists: [list("tools", tools)] })),
      ...skillSource(order.type, skill),
      ...(further.tools ?? []),
    ].map(copySource),
    permissions: (order.tool_permissions ?? []).map((each, index) => ({
      document: own,
      path: `tool_permissions[${index}]`,
      ...(typeof each === "string" ? { tool: each } : each),
    })),
    read: [
      input.readsUnheld
        ? { document: "a session from before reads were held", lists: [list("", ["**"])] }
        : { document: own, lists: [readable, writable, ...(code.patterns.length > 0 ? [code] : [])] },
      ...when(manifest.read_authorizations, (patterns) => ({
        document: itsFramework,
        lists: [list("read_authorizations", patterns), list("path_authorizations", manifest.path_authorizations ?? [])],
      })),
      ...(further.read ?? []),
    ].map(copySource),
    write: [
      { document: own, lists: [writable, ...(code.patterns.length > 0 ? [code] : [])] },
      { document: itsFramework, lists: [list("path_authorizations", manifest.path_authorizations ?? [])] },
      ...(further.write ?? []),
    ].map(copySource),
    code_that_runs: {
      document: own,
      path: codeListPath,
      patterns: [...code.patterns],
      names: [
        ...new Set([
          ...(config.code_names ?? []),
          ...judgingFiles(order),
          ...(input.within?.code_that_runs?.names ?? []), // an order below judges nothing away that its parent is judged by
        ]),
      ],
    },
    forbidden: [
      { document: own, ...list("scope.forbidden_files", forbidden_files) },
      ...when(manifest.forbidden_files, (patterns) => ({
        document: itsFramework,
        ...list("forbidden_files", patterns),
      })),
      ...unreadable(settings),
    ].map(({ patterns, ...clause }) => ({ ...clause, patterns: [...patterns] })),
    programs: [
      ...when(programs, (patterns) => ({ document: own, lists: [list("scope.programs", patterns)] })),
      ...when(skill?.programs, (patterns) => ({
        document: `skill ${skill?.id}`,
        lists: [list("allowed-tools", patterns)],
      })),
      ...(further.programs ?? []),
    ].map(copySource),
    hosts: [
      ...when(hosts, (patterns) => ({ document: own, lists: [list("scope.hosts", patterns)] })),
      ...when(manifest.hosts, (patterns) => ({ document: itsFramework, lists: [list("hosts", patterns)] })),
      ...(further.hosts ?? []),
    ].map(copySource),
    models: [
      ...when(models, (patterns) => ({ document: own, lists: [list("scope.models", patterns)] })),
      ...when(manifest.models, (patterns) => ({ document: itsFramework, lists: [list("models", patterns)] })),
      ...(further.models ?? []),
    ].map(copySource),
    approvals: [...approvalsOf(own, order.approvals), ...approvalsOf(itsFramework, manifest.approvals)],
    limits: limitsOfOrder(input),
    delegation: {
      max_depth: lowest(
        { document: "writ.yaml", path: "delegation.max_depth", value: config.delegation.max_depth },
        order.delegation?.max_depth,
        { document: own, path: "delegation.max_depth" },
      ),
      max_children: { document: "writ.yaml", path: "delegation.max_fan_out", value: config.delegation.max_fan_out },
      ...(order.delegation?.max_children === undefined
        ? {}
        : { max_in_all: { document: own, path: "delegation.max_children", value: order.delegation.max_children } }),
    },
    landing: landingOf(order),
    ...valuesOfOrder(input),
    ...settingsOf(settings, skill),
    ...(input.within === undefined ? {} : { within: input.within }),
    schema_version: "v1",
  };
}

type Settings = NonNullable<MandateV1["settings"]>;

/** A file that settings refuse to read is left out of searches and of the sandboxes of programs too. */
function unreadable(settings: Settings | undefined): readonly (Clause & { readonly patterns: readonly string[] })[] {
  const rules = (settings?.rules ?? []).filter(({ effect, rule }) => effect === "deny" && isReadRule(rule));
  return rules.map(({ document, path, globs = [] }) => ({ document, path, patterns: globs }));
}

/** What a skill takes away is refused in any workspace. */
function settingsOf(settings: Settings | undefined, skill: MandateInput["skill"]): { readonly settings?: Settings } {
  const denied = (skill?.deniedTools ?? []).map((rule, index) => ({
    document: `skill ${skill?.id}`,
    path: `disallowed-tools[${index}]`,
    effect: "deny" as const,
    rule,
  }));
  if (settings === undefined) return denied.length === 0 ? {} : { settings: { rules: denied } };
  const { rules, ...rest } = withSkill(settings, skill);
  return { settings: { ...rest, rules: [...denied, ...rules] } };
}

/** What a skill lists is allowed while it is at work, as far as no rule refuses it or asks about it. */
function withSkill({ rules, ...rest }: Settings, skill: MandateInput["skill"]): Settings {
  const listed = (skill?.declaredTools ?? []).map((rule, index) => ({
    document: `skill ${skill?.id}`,
    path: `allowed-tools[${index}]`,
    effect: "allow" as const,
    rule,
  }));
  return { ...rest, rules: [...rules, ...listed] };
}

/** Names and globs of the tools that an order permits, whatever limits it puts on their calls. */
export function toolNames({ tool_permissions = [] }: Pick<WorkOrder, "tool_permissions">): readonly string[] {
  return tool_permissions.map((each) => (typeof each === "string" ? each : each.tool));
}

function list(path: string, patterns: readonly string[]): Source["lists"][number] {
  return { path, patterns };
}

function when<T, R>(value: T | undefined, make: (value: T) => R): readonly R[] {
  return value === undefined ? [] : [make(value)];
}

/** An order of the roles gets its tools from a skill; without one it gets none. Any other, and a skill without a list, takes the order's. */
function skillSource(type: string, skill: MandateInput["skill"]): readonly Source[] {
  if (skill?.limitsTools === false) return [];
  if (skill !== null) return [{ document: `skill ${skill.id}`, lists: [list("allowed-tools", skill.allowedTools)] }];
  return type === "plan-work-review" ? [{ document: "a skill (none was chosen)", lists: [list("", [])] }] : [];
}

function approvalsOf(document: string, rules: WorkOrder["approvals"] = []): MandateV1["approvals"] {
  return rules.map((rule, index) => ({ document, path: `approvals[${index}]`, ...rule }));
}

type Limits = MandateV1["limits"];
type Limit = Limits["token_limit"];

/** The order's own limits, filled up from its framework's and then from the configuration's. */
export function limitsOfOrder({
  order,
  framework,
  config,
}: Pick<MandateInput, "order" | "framework" | "config">): Limits {
  const own = { document: `work order ${order.work_order_id}`, at: "budget", budget: order.budget };
  const agreed = {
    document: `framework ${framework.manifest.framework_id}`,
    at: "default_budget",
    budget: framework.manifest.default_budget,
  };
  const filled = { document: "writ.yaml", at: "budget", budget: config.default_budget };
  const first = (name: keyof BudgetV1): Limit | undefined => {
    for (const { document, at, budget } of [own, agreed, filled]) {
      const value = budget?.[name];
      if (value !== undefined) return { document, path: `${at}.${name}`, value };
    }
    return undefined;
  };
  const filledIn = (name: keyof RequiredLimits): Limit =>
    first(name) ?? { document: filled.document, path: `${filled.at}.${name}`, value: config.default_budget[name] ?? 0 };
  const usd = first("usd_limit");
  return {
    token_limit: filledIn("token_limit"),
    turn_limit: filledIn("turn_limit"),
    timeout_seconds: lowest(filledIn("timeout_seconds"), config.execution_timeout_seconds, {
      document: "writ.yaml",
      path: "limits.flow_timeout_seconds",
    }),
    ...(usd === undefined ? {} : { usd_limit: usd }),
  };
}

/** The order's own time limit, which ends it also while it waits for its turn: its framework is not known then. */
export function timeLimitOf({ work_order_id, budget }: Pick<WorkOrder, "work_order_id" | "budget">): Limit | undefined {
  const value = budget?.timeout_seconds;
  return value === undefined
    ? undefined
    : { document: `work order ${work_order_id}`, path: "budget.timeout_seconds", value };
}

/** Whether an order's writes land whole or turn by turn. */
export function landingOf({
  work_order_id,
  landing,
}: Pick<WorkOrder, "work_order_id" | "landing">): MandateV1["landing"] {
  if (landing === undefined) return { document: "Writ", path: "", value: "whole" };
  return { document: `work order ${work_order_id}`, path: "landing", value: landing };
}

function lowest(limit: Limit, other: number | undefined, clause: Omit<Limit, "value">): Limit {
  return other !== undefined && other < limit.value ? { ...clause, value: other } : limit;
}
