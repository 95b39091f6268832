import type { Result } from "#core/values";
import type { McpTask } from "./mcp-answer.ts";
import type { McpRequest } from "./mcp-request.ts";

/** The tasks that a server has begun. An unknown id is `NOT_FOUND`. */
export interface McpTasks {
  get(taskId: string, request: McpRequest): Promise<Result<McpTask>>;
  /** Takes answers to the task's questions. Answers to what is not asked are ignored. */
  update(taskId: string, answers: Readonly<Record<string, unknown>>, request: McpRequest): Promise<Result<void>>;
  /** Asks for its end. A task that has ended stays as it is. */
  cancel(taskId: string, request: McpRequest): Promise<Result<void>>;
}
