/** What is known of a value before evaluation: its fields, its items, a plain value, or nothing at all. */
export type Shape =
  | { readonly kind: "plain" }
  | { readonly kind: "any" }
  | { readonly kind: "list"; readonly items: Shape }
  | { readonly kind: "fields"; readonly fields: Readonly<Record<string, Shape>> };

const plain: Shape = { kind: "plain" };
const any: Shape = { kind: "any" };
const texts: Shape = { kind: "list", items: plain };

function fields(names: string, more: Readonly<Record<string, Shape>> = {}): Shape {
  const own = Object.fromEntries(
    names
      .split(" ")
      .filter((name) => name !== "")
      .map((name) => [name, plain]),
  );
  return { kind: "fields", fields: { ...own, ...more } };
}

const finding: Shape = fields(
  "id reviewer severity autofix_class confidence title description file line end_line category suggested_fix fingerprint pre_existing resolved route schema_version",
  { reviewers: texts, evidence: texts, fix: fields("file find replace") },
);
const findings: Shape = { kind: "list", items: finding };

/**
 * What signals and rules may read. Findings, aggregates, budgets, provenance and the trust of context exist for every
 * expression that is evaluated after a phase; `finding`, `persona` and `parameters` only for rules of policies.
 */
export const variables: Readonly<Record<string, Shape>> = {
  input: any,
  output: any,
  outputs: any,
  mode: plain,
  cycle: fields("id mode generation elapsed_seconds oscillating grade_regressed", { visited: texts }),
  phase: fields("id visit"),
  review_aggregate: fields(
    "verdict p0_unresolved p1_unresolved p2_unresolved p3_unresolved generation grade schema_version",
    {
      findings,
      suppressed: findings,
      pre_existing: findings,
      coverage: fields("", { expected: texts, reported: texts, missing: texts, files: texts }),
      routes: fields("apply gated manual advisory"),
    },
  ),
  findings,
  history: { kind: "list", items: fields("generation phase grade", { fingerprints: texts }) },
  budget: fields("token_limit tokens_spent tokens_left turns_left share_left usd_spent usd_limit usd_left"),
  context: fields("trust untrusted fragments untrusted_results", {
    origins: texts,
    sources: { kind: "list", items: fields("origin kind trust") },
  }),
  provenance: fields("work_order_id framework_id agent_class caller_id dev_mode"),
  approval: fields("decision by reason"),
  finding,
  persona: fields("id role kind", { tools: texts, write_paths: texts }),
  parameters: fields("max_generations oscillation_window min_confidence"),
};

export const variableNames: ReadonlySet<string> = new Set(Object.keys(variables));
