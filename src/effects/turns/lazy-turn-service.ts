import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "#core/values";
import type { OrderStore } from "../../work/orders/store/order-store.ts";
import { nextOrderId } from "../../work/orders/write-work-order.ts";
import type { TurnService, TurnServiceOptions } from "./turn-service.ts";

export interface TurnDeskSource {
  open(): Promise<Result<TurnService>>;
  close(): Promise<void>;
}

/** The desk and its sandbox are loaded when somebody orders a turn: most commands never do. */
export function lazyTurnService(
  options: Omit<TurnServiceOptions, "newWorkOrderId"> & { readonly store: OrderStore },
): TurnDeskSource {
  let desk: Promise<Result<TurnService>> | undefined;
  const open = async (): Promise<Result<TurnService>> => {
    const { openTurnService } = await import("./turn-service.ts");
    return openTurnService({
      ...options,
      newWorkOrderId: () => nextOrderId(options.store, options.clock),
    });
  };
  return {
    open: () => (desk ??= open()),
    async close() {
      const opened = await desk;
      if (opened?.ok) await opened.value.close();
    },
  };
}

/** Whether a process died in the middle of a turn here. */
export function hasUnfinishedTurns(root: string): boolean {
  const running = join(root, "planes", "hot", "turns", "running");
  return existsSync(running) && readdirSync(running).length > 0;
}
