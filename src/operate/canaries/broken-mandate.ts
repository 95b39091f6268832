import { shippedRegistry, type WorkOrder } from "#core/contracts";
import type { CanaryResult } from "#core/shapes";
import { type Act, compileMandate, createMandate } from "#governance/mandate";

const order: WorkOrder = {
  work_order_id: "WO-20000101-001",
  type: "answer",
  plane_id: "ho1",
  spec_id: "SPEC-CANARY-001",
  framework_id: "FMWK-CANARY",
  scope: {
    allowed_files: ["notes/**"],
    read_files: ["docs/**"],
    forbidden_files: ["notes/payroll.csv"],
    programs: ["git *"],
    hosts: ["example.org"],
    models: ["canary-*"],
  },
  acceptance: {},
  delegation: { max_children: 1 },
  tool_permissions: [{ tool: "echo", max_calls: 1, args_schema: { properties: { text: { const: "a" } } } }],
  schema_version: "v2",
};

/** What the canary's order does not grant, each by another clause. */
const breaches: readonly Act[] = [
  { kind: "read", path: "notes/payroll.csv" },
  { kind: "read", path: "src/a.ts" },
  { kind: "load", path: "notes/payroll.csv" },
  { kind: "write", path: "docs/a.md" },
  { kind: "delete", path: "src/a.ts" },
  { kind: "program", command: ["rm", "-rf", "x"] },
  { kind: "host", host: "example.com" },
  { kind: "model", model: "another" },
  { kind: "tool", tool: "exec" },
  { kind: "tool", tool: "echo", args: { text: "b" }, charged: { of: () => 0 } },
  { kind: "tool", tool: "echo", args: { text: "a" }, charged: { of: () => 1 } },
  { kind: "unconfined" },
  { kind: "profile", profile: "another" },
  { kind: "spend", what: "tokens", total: 2 },
  { kind: "spend", what: "calls", total: 2 },
  { kind: "spend", what: "seconds", total: 2 },
  { kind: "spend", what: "usd", total: 2 },
  { kind: "delegate", depth: 2, count: 1, before: 0 },
  { kind: "delegate", depth: 1, count: 2, before: 0 },
  { kind: "delegate", depth: 1, count: 1, before: 1 },
];

/** What an order below may not do although its own order grants it: the order above does not, or has used it up. */
const breachesBelow: readonly Act[] = [
  { kind: "read", path: "notes/payroll.csv" },
  { kind: "write", path: "docs/a.md" },
  { kind: "tool", tool: "exec", args: {}, charged: { of: () => 0 } },
  { kind: "tool", tool: "echo", args: { text: "a" }, charged: { of: () => 0, above: { of: () => 1 } } },
];

/** Compiles an order and tries what it does not grant. A mandate that refuses everything holds nothing either, so one act must pass. */
export function brokenMandate(create: typeof createMandate): CanaryResult {
  const manifest = {
    framework_id: "FMWK-CANARY",
    title: "canary",
    version: "1.0.0",
    status: "active" as const,
    ring: "resident" as const,
    plane_id: "ho1" as const,
    agent_classes: ["RESIDENT" as const],
    default_agent_class: "RESIDENT" as const,
    path_authorizations: ["**"],
  };
  const config = {
    default_budget: { token_limit: 1, turn_limit: 1, timeout_seconds: 1, usd_limit: 1 },
    execution_timeout_seconds: 1,
    delegation: { max_depth: 1, max_fan_out: 1 },
  };
  const document = compileMandate({ order, framework: { manifest }, skill: null, config });
  const mandate = create(document, shippedRegistry());
  if (!mandate.ok) return { held: false, detail: mandate.error.message };
  const wide = { ...order, scope: { allowed_files: ["**"] }, tool_permissions: ["*"] };
  const below = create(
    compileMandate({ order: wide, framework: { manifest }, skill: null, config, within: document }),
    shippedRegistry(),
  );
  if (!below.ok) return { held: false, detail: below.error.message };
  const passed = [
    ...breaches.filter((act) => mandate.value.decide(act).allowed),
    ...breachesBelow.filter((act) => below.value.decide(act).allowed),
  ].map(({ kind }) => kind);
  if (passed.length > 0) return { held: false, detail: `a ${passed.join(", a ")} outside the order was allowed` };
  const isGranted = [mandate, below].every(({ value }) => value.decide({ kind: "read", path: "notes/a.md" }).allowed);
  const count = breaches.length + breachesBelow.length;
  return { held: isGranted, detail: isGranted ? `${count} refused` : "everything is refused" };
}
