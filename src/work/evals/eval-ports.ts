import type { SchemaRegistry, WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { type Clock, err, isJsonObject, type JsonObject, jsonText, ok, parseJson, type Result } from "#core/values";
import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowOptions, FlowRequest } from "../flow/flow.ts";
import type { OrderInput } from "../orders/write-work-order.ts";
import type { EvalPorts } from "./ports.ts";

/** What the cases of a suite need to run. */
export interface CaseParts {
  readonly schemas: SchemaRegistry;
  readonly caller: string;
  writeWorkOrder(prompt: string, wanted: OrderInput): Promise<Result<WorkOrder>>;
  writeToolOrder(tool: string, args: JsonObject): Promise<Result<WorkOrder>>;
  runFlow(request: FlowRequest, options: FlowOptions): Promise<FlowResult>;
}

/** Each case, each grading program and each grading model of a suite runs under its own work order. */
export function evalPorts(parts: CaseParts, clock: Clock): EvalPorts {
  const run = (order: WorkOrder, signal: AbortSignal): Promise<FlowResult> =>
    parts.runFlow({ work_order: { ...order }, caller_id: parts.caller }, { signal, fresh: true });
  return {
    clock,
    validate: (schema_id, value) => parts.schemas.validate(schema_id as never, value),
    async submit({ input, skill, profile, order = {} }, signal) {
      const prompt = typeof input["prompt"] === "string" ? input["prompt"] : JSON.stringify(input);
      const wanted = { ...(skill === undefined ? {} : { skill }), ...(profile === undefined ? {} : { profile }) };
      const written = await parts.writeWorkOrder(prompt, wanted);
      if (!written.ok) return written;
      const { work_order_id } = written.value;
      return ok(await run({ ...written.value, input, ...order, work_order_id }, signal));
    },
    async runCommand(command, { stdin, timeoutSeconds }, signal) {
      const order = await parts.writeToolOrder("exec", {
        command,
        stdin,
        timeout_seconds: timeoutSeconds,
      });
      if (!order.ok) return order;
      const result = await run(order.value, signal);
      const outcome = documentOf(result);
      if (!outcome.ok) return outcome;
      const { exit_code, stdout = "", stderr = "" } = outcome.value;
      const said = `${jsonText(stdout)}${jsonText(stderr)}`.trim();
      return ok({ exit: typeof exit_code === "number" ? exit_code : 1, said, session_id: result.session_id ?? null });
    },
    async askModel({ rubric, input, answer, expected, profile }, signal) {
      const written = await parts.writeWorkOrder("grade an answer", profile === undefined ? {} : { profile });
      if (!written.ok) return written;
      const { skill: _, ...order } = written.value;
      const question = { rubric, input, answer, ...(expected === undefined ? {} : { expected }) } as JsonObject;
      const graded = await run(
        {
          ...order,
          type: "grade",
          input: question,
          scope: { allowed_files: [] },
          tool_permissions: [],
          prompt_contract_id: "PRC-GRADE-001",
          io_schema: { output_schema: "grade_v1" },
        },
        signal,
      );
      const grade = documentOf(graded);
      if (!grade.ok) return grade;
      const { score, reason } = grade.value;
      return ok({ score: Number(score), reason: jsonText(reason), session_id: graded.session_id ?? null });
    },
  };
}

function documentOf(result: FlowResult): Result<JsonObject> {
  if (result.status !== "success") return err(domainError("INTERNAL", result.error ?? `it ended as ${result.status}`));
  const document = parseJson(result.response ?? "");
  if (!document.ok) return document;
  return isJsonObject(document.value)
    ? ok(document.value)
    : err(domainError("MALFORMED_AGENT_MESSAGE", "the answer is no JSON object"));
}
