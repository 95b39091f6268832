import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "#core/values";
import type { OrderStore } from "../../work/orders/store/order-store.ts";
import { nextOrderId } from "../../work/orders/write-work-order.ts";
import type { TurnDesk, TurnDeskOptions } from "./turn-desk.ts";

export interface TurnDeskSource {
  open(): Promise<Result<TurnDesk>>;
  close(): Promise<void>;
}

/** The desk and its sandbox are loaded when somebody orders a turn: most commands never do. */
export function turnDeskWhenAsked(
  options: Omit<TurnDeskOptions, "newWorkOrderId"> & { readonly store: OrderStore },
): TurnDeskSource {
  let desk: Promise<Result<TurnDesk>> | undefined;
  const open = async (): Promise<Result<TurnDesk>> => {
    const { openTurnDesk } = await import("./turn-desk.ts");
    return openTurnDesk({
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
