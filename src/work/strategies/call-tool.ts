import type { AgentContext, ToolAnswer } from "#agents";
import { type DomainError, domainError, type ErrorCode, errorCodes } from "#core/errors";
import { err, isJsonObject, ok, type Result } from "#core/values";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { StrategyOutcome } from "../flow/flow.ts";

/** An order for one call of one tool, without a model: what `writ tool call` writes. It goes through the same dispatch. */
export async function callToolOnce(agents: AgentContext, context: ExecutionContext): Promise<Result<StrategyOutcome>> {
  const input = isJsonObject(context.work_order.input) ? context.work_order.input : {};
  const { tool, args } = input;
  if (typeof tool !== "string" || !isJsonObject(args))
    return err(
      domainError(
        "WORK_ORDER_INVALID",
        'an order of type "tool-call" names its tool and args in input: {tool: "fs.read", args: {…}}',
      ),
    );
  const called = await agents.dispatch({ id: agents.ids.sortable("CALL"), name: tool, args, from: "order" }, "user");
  if (!called.ok) return called;
  const { content, isError, error } = called.value;
  if (isError) return err(failureOf(tool, error));
  return ok({ response: JSON.stringify(content), verdict: null, error: null });
}

function failureOf(tool: string, error: ToolAnswer["error"]): DomainError {
  if (error && Object.hasOwn(errorCodes, error.code)) return domainError(error.code as ErrorCode, error.message);
  return domainError("TOOL_ERROR", error ? `${error.code}: ${error.message}` : `${tool} reported an error`);
}
