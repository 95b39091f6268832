/**
 * Every code that a `DomainError` may carry, with the kind it belongs to and whether trying again can help.
 * Outsiders rely on the names: `test/pins/` holds them. The kind decides the exit status of the command line.
 */
export const errorCodes = {
  // boundaries
  SCHEMA_NOT_FOUND: { kind: "schema", retryable: false },
  SCHEMA_INVALID: { kind: "schema", retryable: false },
  SCHEMA_VIOLATION: { kind: "schema", retryable: false },
  MALFORMED_INPUT: { kind: "input", retryable: false },
  MALFORMED_AGENT_MESSAGE: { kind: "agent", retryable: false },
  REVIEW_FAILED: { kind: "agent", retryable: false },
  ACCEPTANCE_FAILED: { kind: "agent", retryable: false },
  ATTENTION_EMPTY: { kind: "agent", retryable: false },
  ATTENTION_LIMIT: { kind: "agent", retryable: true },
  CONFIG_INVALID: { kind: "input", retryable: false },
  SECRET_NOT_FOUND: { kind: "input", retryable: false },
  WORKSPACE_NOT_FOUND: { kind: "input", retryable: false },
  NOT_FOUND: { kind: "input", retryable: false },
  AMBIGUOUS_ID: { kind: "input", retryable: false },
  // gates
  TOOL_NOT_FOUND: { kind: "gate", retryable: false },
  TOOL_NOT_ALLOWED: { kind: "gate", retryable: false },
  GATE_DENIED: { kind: "gate", retryable: false },
  PROMPT_DENIED: { kind: "gate", retryable: false },
  POLICY_DENIED: { kind: "gate", retryable: false },
  NOT_AUTHORIZED: { kind: "gate", retryable: false },
  FEATURE_DISABLED: { kind: "gate", retryable: false },
  FRAMEWORK_NOT_FOUND: { kind: "gate", retryable: false },
  AGENT_CLASS_NOT_PERMITTED: { kind: "gate", retryable: false },
  WORK_ORDER_INVALID: { kind: "gate", retryable: false },
  PACKAGE_REFUSED: { kind: "gate", retryable: false },
  PACKAGE_CONFLICT: { kind: "gate", retryable: false },
  WORKFLOW_UNKNOWN_ID: { kind: "gate", retryable: false },
  WORKFLOW_INVALID: { kind: "gate", retryable: false },
  WORKFLOW_HALTED: { kind: "agent", retryable: false },
  WORKFLOW_ABORTED: { kind: "agent", retryable: false },
  HALTED: { kind: "gate", retryable: false },
  LAW_CHANGED: { kind: "gate", retryable: false },
  BUDGET_EXHAUSTED: { kind: "budget", retryable: false },
  RATE_LIMITED: { kind: "budget", retryable: true },
  // turns and files
  WRITE_CONFLICT: { kind: "lock", retryable: true },
  CAPABILITY_VIOLATION: { kind: "gate", retryable: false },
  UNDECLARED_WRITE: { kind: "turn", retryable: false },
  MISSING_OUTPUT: { kind: "turn", retryable: false },
  TURN_FAILED: { kind: "turn", retryable: false },
  TURN_LIMIT: { kind: "turn", retryable: false },
  SANDBOX_UNAVAILABLE: { kind: "gate", retryable: false },
  // the outside world
  PROVIDER_ERROR: { kind: "provider", retryable: true },
  PROVIDER_TIMEOUT: { kind: "provider", retryable: true },
  CIRCUIT_OPEN: { kind: "provider", retryable: true },
  TOOL_ERROR: { kind: "tool", retryable: false },
  TOOL_TIMEOUT: { kind: "tool", retryable: true },
  EFFECT_IN_DOUBT: { kind: "doubt", retryable: false },
  APPROVAL_PENDING: { kind: "doubt", retryable: true },
  INTERRUPTED: { kind: "canceled", retryable: true },
  CANCELED: { kind: "canceled", retryable: true },
  TIMEOUT: { kind: "canceled", retryable: true },
  // the kernel
  LEASE_LOST: { kind: "lock", retryable: false },
  REVISION_CONFLICT: { kind: "lock", retryable: true },
  PATCH_ALREADY_APPLIED: { kind: "lock", retryable: false },
  RUN_CLOSED: { kind: "lock", retryable: false },
  RUN_HAS_OPEN_WORK: { kind: "lock", retryable: false },
  // the log and the store
  LEDGER_CORRUPT: { kind: "log", retryable: false },
  REPLAY_DIVERGED: { kind: "log", retryable: false },
  LEDGER_UNAVAILABLE: { kind: "log", retryable: true },
  SESSION_BUSY: { kind: "lock", retryable: true },
  SESSION_CLOSED: { kind: "lock", retryable: false },
  STORE_UNAVAILABLE: { kind: "store", retryable: true },
  STORE_TOO_NEW: { kind: "store", retryable: false },
  INTERNAL: { kind: "internal", retryable: false },
} as const;

export type ErrorCode = keyof typeof errorCodes;
export type ErrorKind = (typeof errorCodes)[ErrorCode]["kind"];
