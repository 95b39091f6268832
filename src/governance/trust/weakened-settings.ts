import { canonicalJson, sha256 } from "#core/values";
import { configDefaults, unstatedUsdLimit, type WritConfig } from "#workspace";
import type { DeclaredAction } from "./declared-action.ts";

/** Where a workspace asks for less protection than Writ gives by itself. */
export function weakenedSettingsOf(config: WritConfig): readonly DeclaredAction[] {
  const { sandbox, tools, hooks, identity, packages, budget, redaction, approvals, request, review, server } = config;
  const wider = request.allowed_files.filter((path) => !configDefaults.request.allowed_files.includes(path));
  const { token_limit, turn_limit } = configDefaults.budget;
  const spends = [
    ...((budget.usd_limit ?? 0) > unstatedUsdLimit ? [`$${budget.usd_limit}`] : []),
    ...(budget.token_limit > token_limit ? [`${budget.token_limit} tokens`] : []),
    ...(budget.turn_limit > turn_limit ? [`${budget.turn_limit} calls`] : []),
  ];
  const prices = Object.entries(config.prices).map(([model, price]) => `${model} ${JSON.stringify(price)}`);
  const callers = Object.entries(identity.callers).filter(([, { api_key_sha256 = [] }]) => api_key_sha256.length > 0);
  const signers = Object.entries(identity.callers).filter(
    ([, { public_keys = {} }]) => Object.keys(public_keys).length > 0,
  );
  const { named_callers } = identity;
  // `writ init` grants that one: a turn has its sandbox in development mode too.
  const dev = identity.dev.effects.filter((effect) => effect !== "turn");
  const reviewed = (above: number | null) => above ?? Number.POSITIVE_INFINITY;
  const sizes = (["memory_mib", "processes", "open_files", "output_bytes"] as const).filter(
    (size) => sandbox[size] > configDefaults.sandbox[size],
  );
  const guards: readonly (readonly [where: string, isLowered: boolean, what: string])[] = [
    ["sandbox.minimum_tier", /^T[12]$/.test(sandbox.minimum_tier), `turns may run in tier ${sandbox.minimum_tier}`],
    ["sandbox.network", sandbox.network, "turns may be granted the network"],
    ["tools.allow", tools.allow.length > 0, tools.allow.join(", ")],
    ["hooks.disable", (hooks.disable ?? []).length > 0, `without ${(hooks.disable ?? []).join(", ")}`],
    ["identity.callers", callers.length > 0, `keys of ${callers.map(([name]) => name).join(", ")}`],
    ["identity.callers", signers.length > 0, `signatures of ${signers.map(([name]) => name).join(", ")}`],
    ["identity.dev.effects", dev.length > 0, `--dev may really use ${dev.join(", ")}`],
    [
      "identity.named_callers.effects",
      named_callers.effects.length > 0,
      `callers who only name themselves may really use ${named_callers.effects.join(", ")}`,
    ],
    ["sandbox", sizes.length > 0, `a turn may have ${sizes.map((size) => `${size} ${sandbox[size]}`).join(", ")}`],
    [
      "review.above_usd",
      reviewed(review.above_usd) > reviewed(configDefaults.review.above_usd),
      review.above_usd === null
        ? "no work is reviewed for its price"
        : `work is reviewed only above $${review.above_usd}`,
    ],
    ["budget", spends.length > 0, `a request may spend ${spends.join(", ")}`],
    ["prices", prices.length > 0, `money is counted by ${prices.join(", ")}`],
    ["unknown_price", config.unknown_price !== "refuse", "a model without a price counts as free"],
    [
      "redaction.patterns",
      redaction.patterns.length > 0,
      `records are without ${redaction.patterns.map(({ name, pattern }) => `${name}: ${pattern}`).join(", ")}`,
    ],
    [
      "redaction.keep_sealed_hours",
      redaction.keep_sealed_hours > configDefaults.redaction.keep_sealed_hours,
      `sealed values are kept for ${redaction.keep_sealed_hours} hours`,
    ],
    [
      "approvals.expire_hours",
      approvals.expire_hours > configDefaults.approvals.expire_hours,
      `questions wait for ${approvals.expire_hours} hours`,
    ],
    ["request.allowed_files", wider.length > 0, `requests may write ${wider.join(", ")}`],
    [
      "request.code_that_runs",
      request.code_that_runs.length > 0,
      `requests may write ${request.code_that_runs.join(", ")}`,
    ],
    [
      "server.allowed_hosts",
      server.allowed_hosts.length > 0,
      `the server answers for ${server.allowed_hosts.join(", ")}`,
    ],
    ["identity.roles", Object.keys(identity.roles).length > 0, `roles ${JSON.stringify(identity.roles)}`],
    ["packages.trust_roots", packages.trust_roots.length > 0, `packages signed by ${packages.trust_roots.join(", ")}`],
  ];
  return guards
    .filter(([, isLowered]) => isLowered)
    .map(([where, , what]) => ({
      does: "loosen",
      what,
      where,
      hash: sha256(canonicalJson({ where, what, identity })),
    }));
}
