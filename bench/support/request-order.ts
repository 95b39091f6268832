/** The order that is measured, without its id. */
export const requestOrder = {
  type: "answer",
  plane_id: "ho1",
  spec_id: "SPEC-ORCHESTRATION-001",
  framework_id: "FMWK-005",
  scope: { allowed_files: [] },
  acceptance: { tests: [], checks: [] },
  input: { prompt: "Say hello to Ada" },
  tool_permissions: ["echo"],
  budget: { token_limit: 1_000_000, turn_limit: 1_000, timeout_seconds: 600 },
};
