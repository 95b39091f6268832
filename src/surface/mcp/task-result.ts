import type { DomainError } from "#core/errors";
import type { JsonObject } from "#core/values";
import type { McpTask } from "./offer/mcp-answer.ts";
import { toolResult } from "./tool-result.ts";

/** The answer to a request that has become a task. */
export function createdTask(task: McpTask): JsonObject {
  return { resultType: "task", ...base(task) };
}

function base({
  taskId: id,
  status,
  createdAt,
  lastUpdatedAt,
  ttlMs,
  pollIntervalMs,
  statusMessage,
}: McpTask): JsonObject {
  return {
    taskId: id,
    status,
    createdAt,
    lastUpdatedAt,
    ttlMs,
    pollIntervalMs,
    ...(statusMessage === undefined ? {} : { statusMessage }),
  };
}

/** A task in the form of revision 2025-11-25. What it asks waits in the inbox: there a client is asked for the result, and waits. */
export function earlierTask({
  taskId: id,
  status,
  createdAt,
  lastUpdatedAt,
  ttlMs,
  pollIntervalMs,
  ...task
}: McpTask): JsonObject {
  const { statusMessage } = task;
  return {
    taskId: id,
    status: status === "input_required" ? "working" : status,
    createdAt,
    lastUpdatedAt,
    ttl: ttlMs,
    pollInterval: pollIntervalMs,
    ...(statusMessage === undefined ? {} : { statusMessage }),
  };
}

/** A task as it is now, with what its status brings along. */
export function detailed(task: McpTask, sanitizeError: (error: DomainError) => DomainError): JsonObject {
  switch (task.status) {
    case "working":
    case "cancelled":
      return base(task);
    case "input_required":
      return { ...base(task), inputRequests: { ...task.questions } as never };
    case "completed":
      return { ...base(task), result: toolResult(task.result, sanitizeError) as never };
    case "failed":
      return { ...base(task), error: { ...task.error } };
  }
}
