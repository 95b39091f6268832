import { argument, type Command, texts } from "#core/commands";
import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, ok, parseJson, type Result } from "#core/values";
import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowOptions, FlowRequest } from "../flow/flow.ts";
import type { Allowed } from "../orders/write-work-order.ts";
import { exitOfResult } from "./exit-of-result.ts";

interface CallParts {
  readonly caller: string;
  writeToolOrder(tool: string, args: JsonObject, allowed?: Allowed): Promise<Result<WorkOrder>>;
  runFlow(request: FlowRequest, options?: FlowOptions): Promise<FlowResult>;
}

type CallOptions = Allowed;

const asJson = `names and texts stand in double quotes, the whole in single ones: '{"text": "hello"}'`;

export const toolCall: Command<"runtime", CallParts, CallOptions> = {
  name: "call",
  summary: "call one tool yourself, under a work order that Writ writes for it",
  needs: "runtime",
  json: "session_id, work_order_id, status, result and error",
  arguments: [argument("name", "the tool, such as fs.read"), argument("json", "its arguments as a JSON object")],
  options: {
    allow: texts("glob", "paths that the call may write, besides the workspace's default"),
    allowCode: texts("glob", "code that runs, such as package.json or a workflow, that it may write too"),
  },
  examples: [`writ tool call echo '{"text":"hello"}'`],
  exits: null,
  run: async (flows, { arguments: [name = "", given = ""], options, context }) => {
    const args = parseJson(given);
    if (!args.ok) return err(domainError("MALFORMED_INPUT", args.error.message, { details: { hint: asJson } }));
    if (!isJsonObject(args.value))
      return err(domainError("MALFORMED_INPUT", "a tool's arguments are a JSON object, such as {}"));
    const order = await flows.writeToolOrder(name, args.value, options);
    if (!order.ok) return order;
    const request = { work_order: { ...order.value }, caller_id: flows.caller };
    const result = await flows.runFlow(request, { signal: context.signal, fresh: true });
    const content: unknown = result.response === null ? null : JSON.parse(result.response);
    const error = result.error === null ? null : { code: result.error_code, message: result.error };
    const { renderFailure } = await import("../story/render-failure.ts");
    return ok({
      json: {
        session_id: result.session_id,
        work_order_id: result.work_order_id,
        status: result.status,
        result: content,
        error,
      },
      text: (screen) =>
        error
          ? renderFailure({ status: result.status, code: error.code ?? "", message: error.message }, screen)
          : `${JSON.stringify(content, null, 2)}\n`,
      exit: exitOfResult(result, context.signal),
    });
  },
};
