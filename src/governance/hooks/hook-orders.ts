import { domainError } from "#core/errors";
import { err, type JsonObject, type Result } from "#core/values";
import type { HookPoint } from "./hook-point.ts";

/** What a hook wants done for its answer, ready to be ordered. */
export interface HookOrder {
  readonly do:
    | { readonly type: "mcp_tool"; readonly server: string; readonly tool: string; readonly args: JsonObject }
    | { readonly type: "prompt" | "agent"; readonly prompt: string; readonly model: string | undefined };
  /** The session that the hook is asked about, and where it asks. */
  readonly session_id: string;
  readonly point: HookPoint;
  readonly hook: string;
  readonly timeoutMs: number;
}

export interface HookOrderEnd {
  /** The session of the order; absent where it was refused before it had one. */
  readonly session_id?: string;
  /** What the tool or the model said. */
  readonly said: Result<string>;
}

/** Carries the orders of hooks out. Governance calls no model and no tool, so the place of orders hands it in. */
export interface HookOrders {
  run(order: HookOrder, signal: AbortSignal): Promise<HookOrderEnd>;
  /** Whether a session is one that a hook ordered: its own calls ask no hook that would order again. */
  isOrdered(session_id: string): boolean;
}

/** Bound once orders can be carried out. Until then a hook that needs one cannot be asked, and so denies. */
export interface LateHookOrders extends HookOrders {
  bind(orders: HookOrders): void;
}

export function lateHookOrders(): LateHookOrders {
  let bound: HookOrders | undefined;
  return {
    run: async (order, signal) => bound?.run(order, signal) ?? { said: err(unbound()) },
    isOrdered: (session_id) => bound?.isOrdered(session_id) ?? false,
    bind(orders) {
      bound = orders;
    },
  };
}

function unbound() {
  return domainError("NOT_AUTHORIZED", "no order can be carried out yet");
}
