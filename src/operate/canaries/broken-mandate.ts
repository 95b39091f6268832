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
  tool_permissions: [{ tool: "echo", max_calls: 1, args_schema: { properties: { text: { const: "a" } } } }],
  schema_version: "v2",
};

/** What the canary's order does not grant, each by another clause. */
const breaches: readonly Act[] = [
  { kind: "read", path: "notes/payroll.csv" },
  { kind: "read", path: "src/a.ts" },
  { kind: "write", path: "docs/a.md" },
  { kind: "delete", path: "src/a.ts" },
  { kind: "program", command: ["rm", "-rf", "x"] },
  { kind: "host", host: "example.com" },
  { kind: "model", model: "another" },
  { kind: "tool", tool: "exec" },
  { kind: "tool", tool: "echo", args: { text: "b" }, charged: () => 0 },
  { kind: "tool", tool: "echo", args: { text: "a" }, charged: () => 1 },
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
  const document = compileMandate({
    order,
    framework: { manifest },
    skill: null,
    config: {
      default_budget: { token_limit: 1, turn_limit: 1, timeout_seconds: 1 },
      execution_timeout_seconds: 1,
      delegation: { max_depth: 1, max_fan_out: 1 },
    },
  });
  const mandate = create(document, shippedRegistry());
  if (!mandate.ok) return { held: false, detail: mandate.error.message };
  const passed = breaches.filter((act) => mandate.value.decide(act).allowed).map(({ kind }) => kind);
  if (passed.length > 0) return { held: false, detail: `a ${passed.join(", a ")} outside the order was allowed` };
  const granted = mandate.value.decide({ kind: "read", path: "notes/a.md" });
  return { held: granted.allowed, detail: granted.allowed ? `${breaches.length} refused` : "everything is refused" };
}
