/**
 * The settings of the seeds' components (`budget_config_v1`, `router_config_v1`, `flow_runner_config_v1`) have one form, the
 * keys of `writ.yaml`: two ways to state a limit would let one of them be forgotten. By the name that a seed gives a setting:
 * the key that does the same, or why there is none. `docs/decisions/0036` has the reasons.
 */
export const seedSettings: Readonly<Record<string, SeedSetting>> = {
  default_budget: { key: "budget" },
  "prices.*.input_usd_per_million": { key: "prices.*.input_per_million" },
  "prices.*.output_usd_per_million": { key: "prices.*.output_per_million" },
  "prices.*.cached_input_usd_per_million": { key: "prices.*.cached_input_per_million" },
  slice_tokens: {
    refused: "an order takes all that it may spend at once and returns the rest, so that no limit is overrun",
  },
  slice_usd: {
    refused: "an order takes all that it may spend at once and returns the rest, so that no limit is overrun",
  },
  "session_budget.turn_limit": {
    refused: "a session is one order and those below it: `budget.turn_limit` counts their calls",
  },
  "session_budget.timeout_seconds": { key: "limits.flow_timeout_seconds" },
  "workspace_budget.turn_limit": {
    refused: "calls over time are `rate_limits`; what they may cost are tokens and money",
  },
  "workspace_budget.timeout_seconds": {
    refused: "a workspace has no end; `limits.flow_timeout_seconds` bounds each order",
  },
  default_provider: { key: "provider" },
  default_model: { key: "model" },
  timeout_ms: { key: "limits.model_call_timeout_seconds" },
  max_retries: { key: "retries.attempts" },
  retry_base_ms: { key: "retries.first_delay_ms" },
  "roles.*.model": { key: "models" },
  "roles.*.provider": {
    refused: "one order is answered by one profile, so that its key and its record are one vendor's",
  },
  "roles.*.temperature": { key: "temperature" },
  "roles.*.max_tokens": { key: "max_output_tokens" },
  fallbacks: { key: "fallback" },
  "fallbacks.*.provider": { key: "profiles.*.provider" },
  "fallbacks.*.model": { key: "profiles.*.model" },
  "circuit_breaker.recovery_ms": { key: "circuit_breaker.recovery_seconds" },
  agent_id_prefix: { refused: "records and other programs know an agent by AGT-" },
  execution_timeout_seconds: { key: "limits.flow_timeout_seconds" },
  multi_step: { key: "limits.plan_steps" },
  "multi_step.max_steps": { key: "limits.plan_steps" },
  "aperture.rules": { key: "aperture" },
  "aperture.rules.*.from": { refused: "the aperture only narrows, so a rule needs only `to`" },
  "aperture.rules.*.to": { key: "aperture.*.to" },
  "aperture.rules.*.min_steps": { key: "aperture.*.after_steps" },
  "aperture.rules.*.max_budget_remaining": { key: "aperture.*.budget_below" },
  "delegation.max_children": { key: "delegation.max_fan_out" },
  "recovery.on_failure": { key: "recovery.keep_partial" },
  roles: { key: "models" },
};

export type SeedSetting = { readonly key: string } | { readonly refused: string };

/** What to write instead of a setting that a seed names so; undefined where no seed does. */
export function seedSetting(key: string): string | undefined {
  const path = key.split(/[.[]/).map((part) => part.replace("]", ""));
  const names = Object.keys(seedSettings);
  const name = names.find((each) => {
    const parts = each.split(".");
    return parts.length === path.length && parts.every((part, at) => part === "*" || part === path[at]);
  });
  const setting = name === undefined ? undefined : seedSettings[name];
  if (!setting) return undefined;
  return "key" in setting
    ? `here it is \`${setting.key.replaceAll("*", "NAME")}\``
    : `there is no such setting: ${setting.refused}`;
}
