/**
 * Every run of an order uses the validators of these contracts: those of a group lie in one file, 39 files fewer to open. The validator
 * of any other contract has a file of its own, because most processes use few of them; so has `writ_config_v1`, which is as large as a
 * group and all that many commands need.
 */
const groups = {
  "run-events": [
    "acceptance.checked_v1",
    "agent.transition_v1",
    "attention.assembled_v1",
    "budget.updated_v1",
    "evidence.folded_v1",
    "hook.fired_v1",
    "lead.directive_v1",
    "llm.request_v1",
    "llm.response_v1",
    "plan.made_v1",
    "review.result_v1",
    "session.close_v1",
    "session.start_v1",
    "skill.complete_v1",
    "skill.invoke_v1",
    "strategy.chosen_v1",
    "tool.invoke_v1",
    "tool.output_v1",
    "tool.result_v1",
    "wo.completed_v1",
    "wo.started_v1",
    "worker.report_v1",
    "worker.step_v1",
  ],
  "run-documents": [
    "attention_template_v1",
    "completion_request_v2",
    "completion_response_v2",
    "echo.args_v1",
    "echo.result_v1",
    "flow_request_v1",
    "framework_manifest_v1",
    "hook_decision_v1",
    "hooks_config_v1",
    "lead_directive_v1",
    "package_manifest_v1",
    "package_receipt_v1",
    "package_signature_v1",
    "plan_v1",
    "prompt_contract_v1",
    "provider_script_v1",
    "review_result_v1",
    "skill_frontmatter_v1",
    "work_order_v1",
    "work_order_v2",
    "worker_report_v1",
  ],
};

/** The name of the file that holds a contract's validator, by the contract's id. */
export const sharedFiles = Object.fromEntries(
  Object.entries(groups).flatMap(([file, ids]) => ids.map((id) => [id, file])),
);
