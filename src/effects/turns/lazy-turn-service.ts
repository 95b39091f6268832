import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "#core/values";
import type { TurnService, TurnServiceOptions } from "./turn-service.ts";

export interface LazyTurnService {
  open(): Promise<Result<TurnService>>;
  close(): Promise<void>;
}

/** The service and its sandbox are loaded with the first turn: most commands run none. */
export function lazyTurnService(options: TurnServiceOptions): LazyTurnService {
  let service: Promise<Result<TurnService>> | undefined;
  const open = async (): Promise<Result<TurnService>> => {
    const { openTurnService } = await import("./turn-service.ts");
    return openTurnService(options);
  };
  return {
    open: () => (service ??= open()),
    async close() {
      const opened = await service;
      if (opened?.ok) await opened.value.close();
    },
  };
}

/** Whether a process died in the middle of a turn here. */
export function hasUnfinishedTurns(root: string): boolean {
  const running = join(root, "planes", "hot", "turns", "running");
  return existsSync(running) && readdirSync(running).length > 0;
}
