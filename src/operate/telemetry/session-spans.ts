import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { Event } from "#log";

/**
 * A session as spans, by the GenAI conventions: `invoke_agent` around it all, `chat` per model call, `execute_tool` per
 * tool call, `invoke_workflow` per cycle. They are a fold over the events, which remain the record; what models and tools
 * said is left out unless the workspace asks for it, and was redacted before it was an event.
 */
export class SessionSpans {
  readonly #tracer: Tracer;
  readonly #withContent: boolean;
  readonly #open = new Map<string, Span>();
  #context: Context = ROOT_CONTEXT;
  #root: Span | undefined;

  constructor(tracer: Tracer, options: { readonly withContent: boolean }) {
    this.#tracer = tracer;
    this.#withContent = options.withContent;
  }

  see(event: Event): void {
    switch (event.type) {
      case "session.start": {
        const { work_order_id, framework_id, caller_id, agent_class } = event.payload;
        const attributes = {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.conversation.id": event.session_id,
          "gen_ai.agent.name": agent_class ?? "writ",
          "writ.work_order.id": work_order_id,
          "writ.framework.id": framework_id,
          "writ.caller.id": caller_id,
        };
        this.#root = this.#start("session", event, `invoke_agent ${agent_class ?? "writ"}`, { attributes });
        this.#context = trace.setSpan(ROOT_CONTEXT, this.#root);
        return;
      }
      case "session.resumed":
        // The part before lies in the trace already; what follows is another span of the same trace.
        this.#root = this.#start("session", event, "invoke_agent writ", {
          attributes: {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.conversation.id": event.session_id,
            "writ.resumed": true,
          },
        });
        this.#context = trace.setSpan(ROOT_CONTEXT, this.#root);
        return;
      case "llm.request": {
        const { request_id, role, provider, model, max_tokens, temperature } = event.payload;
        const attributes = {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": provider,
          "gen_ai.request.model": model,
          "gen_ai.request.max_tokens": max_tokens,
          "gen_ai.request.temperature": temperature ?? undefined,
          "gen_ai.conversation.id": event.session_id,
          "writ.role": role,
        };
        this.#start(request_id, event, `chat ${model}`, { kind: SpanKind.CLIENT, attributes });
        return;
      }
      case "llm.response": {
        const { payload } = event;
        const { request_id, usage, finish_reason, model_version, text, status, error } = payload;
        this.#end(request_id, event, status === "ok" ? undefined : (error?.code ?? status), {
          "gen_ai.usage.input_tokens": usage.input_tokens,
          "gen_ai.usage.output_tokens": usage.output_tokens,
          "gen_ai.response.finish_reasons": finish_reason === undefined ? undefined : [finish_reason],
          "gen_ai.response.model": model_version ?? undefined,
          "gen_ai.output.messages": this.#withContent ? (text ?? undefined) : undefined,
        });
        return;
      }
      case "tool.invoke": {
        const { call_id, attempt, name, args } = event.payload;
        const attributes = {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": name,
          "gen_ai.tool.call.id": call_id,
          "gen_ai.tool.call.arguments": this.#withContent ? JSON.stringify(args) : undefined,
        };
        this.#start(`${call_id} ${attempt}`, event, `execute_tool ${name}`, { attributes });
        return;
      }
      case "tool.result": {
        const { call_id, attempt, status, error } = event.payload;
        this.#end(`${call_id} ${attempt}`, event, status === "ok" ? undefined : (error?.code ?? status));
        return;
      }
      case "workflow.started": {
        const { cycle_id } = event.payload;
        const attributes = { "gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": cycle_id };
        this.#start(`cycle ${cycle_id}`, event, `invoke_workflow ${cycle_id}`, { attributes });
        return;
      }
      case "workflow.completed":
      case "workflow.aborted":
        this.#end(`cycle ${event.payload.cycle_id}`, event);
        return;
      case "plan.made":
        this.#start("plan", event, "plan", { attributes: { "gen_ai.operation.name": "plan" } });
        this.#end("plan", event);
        return;
      case "session.close": {
        const { ok, status } = event.payload;
        this.#end("session", event, ok ? undefined : status, {
          "writ.session.status": status,
          "writ.events": event.seq,
        });
        return;
      }
      default:
        return;
    }
  }

  /** A flow that stopped without a close leaves no span open. */
  end(): void {
    for (const span of this.#open.values()) span.end();
    this.#open.clear();
  }

  #start(key: string, event: Event, name: string, options: Pick<SpanOptions, "kind" | "attributes">): Span {
    const startTime = Date.parse(event.ts);
    const span = this.#tracer.startSpan(name, { kind: SpanKind.INTERNAL, ...options, startTime }, this.#context);
    this.#open.set(key, span);
    return span;
  }

  #end(key: string, event: Event, failure?: string, attributes: Attributes = {}): void {
    const span = this.#open.get(key);
    if (!span) return;
    this.#open.delete(key);
    span.setAttributes(attributes);
    if (failure !== undefined) span.setAttribute("error.type", failure).setStatus({ code: SpanStatusCode.ERROR });
    span.end(Date.parse(event.ts));
  }
}
