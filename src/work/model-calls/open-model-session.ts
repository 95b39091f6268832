import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { type Result, type SessionId } from "#core/values";
import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowOptions, FlowRequest } from "../flow/flow.ts";
import { failedOrder } from "../orders/failed-order.ts";
import { type OrderWords, orderInputOf } from "../orders/order-words.ts";
import type { OrderInput } from "../orders/write-work-order.ts";
import { type ModelAnswer, type ModelCall, ModelCalls } from "./model-calls.ts";
import { programType } from "./serve-model-calls.ts";

export interface ModelSessionOptions {
  /** What the program may spend, and which of its functions its model may ask for; all that it offers without `tools`. */
  readonly order?: OrderWords;
  /** What it is for, in the record. */
  readonly purpose?: string;
  /** The program waits while a person answers what a hook wants asked (`writ inbox`); without it such a call is refused. */
  readonly asksPeople?: boolean;
  readonly signal?: AbortSignal;
  readonly onEvent?: FlowOptions["onEvent"];
}

/** Model calls of a program under one order: one budget, one record, one proof. */
export interface ModelSession {
  call(call: ModelCall): Promise<Result<ModelAnswer>>;
  /** Ends the order once what is under way is done; what came of it. Never rejects. */
  close(): Promise<FlowResult>;
  /** The session, once its first call has begun it. */
  readonly session_id: SessionId | null;
}

interface Sources {
  writeWorkOrder(prompt: string, wanted: OrderInput): Promise<Result<WorkOrder>>;
  runFlow(request: FlowRequest, options: FlowOptions): Promise<FlowResult>;
  readonly caller: string;
}

/** The order is written with the first call, so that a session which is never used leaves no record. */
export function openModelSession(
  sources: Sources,
  { order = {}, purpose = "the model calls of a program", asksPeople, signal, onEvent }: ModelSessionOptions = {},
): ModelSession {
  const calls = new ModelCalls({ asksPeople });
  let session_id: SessionId | null = null;
  let result: Promise<FlowResult> | undefined;
  const run = async (): Promise<FlowResult> => {
    const { input, ...wanted } = orderInputOf(order);
    const program = { tools: order.tools === undefined ? "any" : "granted" };
    const written = await sources.writeWorkOrder(purpose, {
      ...wanted,
      strategy: programType,
      input: { ...input, program },
    });
    if (!written.ok) return failedOrder(written.error);
    return sources.runFlow(
      { work_order: { ...written.value }, caller_id: sources.caller },
      {
        modelCalls: calls,
        ...(signal ? { signal } : {}),
        onEvent(event) {
          session_id ??= event.session_id as SessionId;
          onEvent?.(event);
        },
      },
    );
  };
  const begin = () => {
    result ??= run().then((ended) => {
      calls.end(
        domainError(
          ended.error_code === "BUDGET_EXHAUSTED" ? "BUDGET_EXHAUSTED" : "SESSION_CLOSED",
          ended.error ?? "the order of this model session has ended",
          { details: { session_id: ended.session_id ?? null } },
        ),
      );
      return ended;
    });
    return result;
  };
  return {
    get session_id() {
      return session_id;
    },
    call(call) {
      void begin();
      return calls.push(call);
    },
    async close() {
      calls.close();
      return result ?? failedOrder(neverUsed);
    },
  };
}

const neverUsed = domainError(
  "SESSION_CLOSED",
  "this model session was closed before its first call; nothing was recorded",
);
