import { canonicalJson, isJsonObject, sha256 } from "#core/values";
import { covers, grantsOfRole } from "#people";
import { configDefaults, unstatedUsdLimit, type WritConfig } from "#workspace";
import type { DeclaredAction } from "./declared-action.ts";

/** How tight the limits of a configuration are: numbers that are not passed, and lists. Null is no limit. */
export type KeptLimits = Readonly<Record<string, number | null | readonly string[]>>;

/**
 * How one limit is judged:
 *
 *     most     a number that may not grow
 *     only     a list that holds what is allowed: an entry that comes in loosens
 *     never    a list that holds what is not: an entry that goes loosens
 */
interface Limit {
  readonly kind: "most" | "only" | "never";
  readonly of: (config: WritConfig) => number | null | readonly string[];
  /** Whether entries that were kept already hold this one. Without it, only an equal one does. */
  readonly holds?: (kept: readonly string[], entry: string) => boolean;
}

const most = (of: (config: WritConfig) => number | null): Limit => ({ kind: "most", of });
const only = (of: (config: WritConfig) => readonly string[]): Limit => ({ kind: "only", of });
const never = (of: (config: WritConfig) => readonly string[]): Limit => ({ kind: "never", of });
/** Beyond the default a guard is lowered, whatever stood there before; up to it the limit that was kept counts. */
const upTo = (limit: number, value: number | null): number => Math.min(limit, value ?? limit);
const among = (limit: readonly string[], values: readonly string[]): readonly string[] =>
  values.filter((each) => limit.includes(each));

/** Each spends more than the one before. */
const periods = ["ever", "month", "day"] as const;

const { budget, request, review, approvals, sandbox } = configDefaults;

const risks = ["low", "medium", "high"] as const;
type Approvals = WritConfig["approvals"];

/** What a yes at one risk does not take. */
function notAsked(
  risk: (typeof risks)[number],
  { reason, people, hold_seconds }: Approvals["demands"]["high"],
): readonly string[] {
  return [
    ...(reason ? [] : [`a yes at ${risk} risk without a reason`]),
    ...(people > 1 ? [] : [`a yes of one person at ${risk} risk`]),
    ...(hold_seconds > 0 ? [] : [`a yes at ${risk} risk that is not held`]),
  ];
}

/** Entries before which another one decided. */
function lowering(entries: Approvals["risks"]): readonly string[] {
  return entries.filter(({ risk }) => risk !== "high").map((entry) => JSON.stringify(entry));
}

/** What a workspace may draw tighter than Writ does by itself, and a later change of its files may give up again. */
const limits: Readonly<Record<string, Limit>> = {
  "budget.token_limit": most((config) => upTo(budget.token_limit, config.budget.token_limit)),
  "budget.turn_limit": most((config) => upTo(budget.turn_limit, config.budget.turn_limit)),
  "budget.timeout_seconds": most((config) => config.budget.timeout_seconds),
  "budget.usd_limit": most((config) => upTo(unstatedUsdLimit, config.budget.usd_limit)),
  "session_budget.token_limit": most((config) => config.session_budget.token_limit),
  "session_budget.usd_limit": most((config) => config.session_budget.usd_limit),
  "workspace_budget.token_limit": most((config) => config.workspace_budget.token_limit),
  "workspace_budget.usd_limit": most((config) => config.workspace_budget.usd_limit),
  "workspace_budget.period": {
    kind: "only",
    of: ({ workspace_budget: { token_limit, usd_limit, period } }) =>
      token_limit === null && usd_limit === null ? null : periods.slice(0, periods.indexOf(period) + 1),
  },
  "review.above_usd": most((config) =>
    review.above_usd === null ? null : upTo(review.above_usd, config.review.above_usd),
  ),
  "approvals.expire_hours": most((config) => upTo(approvals.expire_hours, config.approvals.expire_hours)),
  "approvals.demands": only(({ approvals: { demands } }) => risks.flatMap((risk) => notAsked(risk, demands[risk]))),
  "approvals.risks": only((config) => lowering(config.approvals.risks)),
  "approvals.self_approval": only((config) => (config.approvals.self_approval === "never" ? [] : ["local"])),
  contracts_required: only((config) => (config.contracts_required ? [] : ["requests without a contract"])),
  // Compared by what they may do: a viewer may do less than an administrator, and a role of the workspace can be defined anew.
  "identity.local_roles": {
    kind: "only",
    of: ({ identity }) => identity.local_roles.flatMap((role) => grantsOfRole(role, identity) ?? [role]),
    holds: covers,
  },
  "identity.dev.allow": only((config) => (config.identity.dev.allow ? ["--dev"] : [])),
  "identity.dev.effects": only((config) => among(["turn"], config.identity.dev.effects)),
  "identity.named_callers.allow": only((config) => (config.identity.named_callers.allow ? ["--caller"] : [])),
  "request.allowed_files": only((config) => among(request.allowed_files, config.request.allowed_files)),
  "request.read_files": only((config) => config.request.read_files),
  "paths.unreadable": never((config) => config.paths.unreadable),
  "paths.protected": never((config) => config.paths.protected),
  "paths.code_that_runs": never((config) => config.paths.code_that_runs),
  "redaction.secrets": never((config) => config.redaction.secrets),
  "sandbox.memory_mib": most((config) => upTo(sandbox.memory_mib, config.sandbox.memory_mib)),
  "sandbox.processes": most((config) => upTo(sandbox.processes, config.sandbox.processes)),
  "sandbox.open_files": most((config) => upTo(sandbox.open_files, config.sandbox.open_files)),
  "sandbox.output_bytes": most((config) => upTo(sandbox.output_bytes, config.sandbox.output_bytes)),
};

export function limitsOf(config: WritConfig): KeptLimits {
  return Object.fromEntries(Object.entries(limits).map(([where, limit]) => [where, limit.of(config)]));
}

/** Limits that stood when this user last agreed, and that the configuration has given up since. */
export function givenUpSince(before: KeptLimits | undefined, config: WritConfig): readonly DeclaredAction[] {
  if (!isJsonObject(before)) return [];
  const now = limitsOf(config);
  return Object.entries(limits).flatMap(([where, { kind, holds }]): DeclaredAction[] => {
    const [was, is] = [before[where], now[where]];
    if (was === undefined || is === undefined) return [];
    const what = Array.isArray(was) && Array.isArray(is) ? listed(kind, was, is, holds) : counted(was, is);
    return what === undefined ? [] : [{ does: "loosen", what, where, hash: sha256(canonicalJson({ where, what })) }];
  });
}

function listed(
  kind: Limit["kind"],
  was: readonly string[],
  is: readonly string[],
  holds: NonNullable<Limit["holds"]> = (kept, entry) => kept.includes(entry),
): string | undefined {
  const [all, some] = kind === "only" ? [was, is] : [is, was];
  const fresh = some.filter((each) => !holds(all, each));
  if (fresh.length === 0) return undefined;
  return `${kind === "only" ? "now also" : "no longer"} ${fresh.join(", ")}`;
}

function counted(was: unknown, is: unknown): string | undefined {
  if (typeof was !== "number" || (typeof is === "number" && is <= was)) return undefined;
  return is === null ? `the limit of ${was} is gone` : `${is as number} in place of ${was}`;
}
