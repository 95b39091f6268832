import type { MovedTable } from "./copy-table.ts";

const words = (text: string): readonly string[] => text.split(" ");

/** What several processes hold in common. Rates of the minute are not worth the way. */
export const sharedTables: readonly MovedTable[] = [
  { name: "work_order_numbers", columns: words("day last_number"), key: ["day"] },
  {
    name: "budget_shares",
    columns: words("pool_id session_id work_order_id tokens micro_usd settled"),
    key: ["session_id", "work_order_id"],
    truths: ["settled"],
  },
  { name: "budget_pools", columns: words("pool_id tokens micro_usd"), key: ["pool_id"] },
  {
    name: "work_orders",
    columns: words("work_order_id idempotency_key order_hash claimed_at session_id result"),
    key: ["work_order_id"],
  },
  {
    name: "tool_pins",
    columns: words("server tool name hash launch definition approved_at approved_by"),
    key: ["server", "tool"],
  },
  {
    name: "thread_messages",
    columns: words("thread_id message_id position session_id waiting sent_at begun"),
    key: ["thread_id", "message_id"],
    truths: ["begun"],
  },
  { name: "halts", columns: words("target by_whom reason halted_at"), key: ["target"] },
  {
    name: "api_keys",
    columns: words("key_id key_sha256 caller_id scope note created_at created_by expires_at revoked_at revoked_by"),
    key: ["key_id"],
  },
  {
    name: "sealed_values",
    columns: words("session_id tag kind origin sealed expires_at"),
    key: ["session_id", "tag"],
  },
  { name: "request_keys", columns: words("name request_hash subject claimed_at status answer"), key: ["name"] },
  {
    name: "approvals",
    columns: words(
      "approval_id kind title reason author session_id run_id subject subject_hash choices created_at expires_at choice decided_by decided_at decision_reason result",
    ),
    key: ["approval_id"],
  },
];

/** The five records. */
export const kernelTables: readonly MovedTable[] = [
  {
    name: "run",
    columns: words(
      "run_id app_id objective status close_reason close_message head_revision_id created_at updated_at paused last_seq open_work fact_seq seen_seq turn_owner turn_epoch turn_expires_at turn_applied_epoch turn_failures turn_not_before turn_due_at archived_at archive_ref",
    ),
    key: ["run_id"],
    truths: ["paused"],
  },
  {
    name: "work_item",
    columns: words(
      "run_id work_id capability objective input depends_on status lease_owner lease_expires_at lease_epoch retry_count max_retries rank not_before idempotency_key waiting_on dependents ready ended_by created_at updated_at",
    ),
    key: ["run_id", "work_id"],
    truths: ["ready"],
    inOrderOf: "number",
  },
  { name: "work_dependency", columns: words("run_id depends_on work_id"), key: ["run_id", "depends_on", "work_id"] },
  {
    name: "patch",
    columns: words(
      "run_id patch_id author_kind author_id source_work_id base_revision_id ops applied_in_revision_id rejected_in_revision_id created_at",
    ),
    key: ["run_id", "patch_id"],
    inOrderOf: "rowid",
  },
  {
    name: "revision",
    columns: words(
      "run_id revision_id parent_revision_id created_by_app_id applied_patch_ids rejected_patch_ids rejections document_ref created_at",
    ),
    key: ["run_id", "revision_id"],
    inOrderOf: "rowid",
  },
  { name: "event_log", columns: words("run_id seq event_type payload actor_id created_at"), key: ["run_id", "seq"] },
];
