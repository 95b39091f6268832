import { type MandateV1, shippedRegistry } from "#core/contracts";
import { createMandate, type Mandate } from "#governance/mandate";

/** What a test's order may do. What is left out is not limited. */
export interface TestRights {
  readonly tools?: readonly string[];
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly forbidden?: readonly string[];
  readonly permissions?: MandateV1["permissions"];
  readonly approvals?: MandateV1["approvals"];
}

const order = "work order WO-20261115-001";

/** A mandate of one document, for tests of what asks it. */
export function mandateFor(rights: TestRights = {}): Mandate {
  const { tools = ["*"], read = ["**"], write = ["**"], forbidden = [] } = rights;
  const source = (path: string, patterns: readonly string[]) => ({
    document: order,
    lists: [{ path, patterns: [...patterns] }],
  });
  const limit = <T>(path: string, value: T) => ({ document: order, path, value });
  const document: MandateV1 = {
    work_order_id: "WO-20261115-001",
    work_order_hash: "0".repeat(64),
    framework_id: "FMWK-005",
    skill: null,
    profile: null,
    tools: [source("tool_permissions", tools)],
    permissions: rights.permissions ?? tools.map((tool, index) => ({ ...limitPlace(index), tool })),
    read: [source("scope.read_files", read)],
    write: [source("scope.allowed_files", write)],
    code_that_runs: { document: order, path: "scope.code_that_runs", patterns: [], names: [] },
    forbidden: [{ document: order, path: "scope.forbidden_files", patterns: [...forbidden] }],
    programs: [],
    hosts: [],
    models: [],
    approvals: rights.approvals ?? [],
    limits: {
      token_limit: limit("budget.token_limit", 1000),
      turn_limit: limit("budget.turn_limit", 10),
      timeout_seconds: limit("budget.timeout_seconds", 60),
    },
    delegation: { max_depth: limit("delegation.max_depth", 1), max_children: limit("delegation.max_children", 1) },
    landing: { document: "Writ", path: "", value: "whole" },
    schema_version: "v1",
  };
  const made = createMandate(document, shippedRegistry());
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

function limitPlace(index: number) {
  return { document: order, path: `tool_permissions[${index}]` };
}
