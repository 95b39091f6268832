import { isNewStore } from "#core/database";
import { domainError } from "#core/errors";
import { type Clock, err, ok, type Result } from "#core/values";
import type { Rebuilt } from "./rebuild-from-events.ts";
import { rebuildSharedStore } from "./rebuild-shared-store.ts";

export interface LostStore {
  readonly clock: Clock;
  /** What the events tell of it; undefined where nothing was ever recorded. */
  readonly rebuild: () => Promise<Result<Rebuilt | undefined>>;
  /** Told, in one line, that the store was gone. */
  readonly onNotice?: ((line: string) => void) | undefined;
}

/**
 * A store that is new in a workspace with a past was lost, and with it every halt, limit and decision: it is made again
 * from the events before anything acts. Where that cannot be done nothing is opened.
 */
export async function rebuildLostStore(file: string, { clock, rebuild, onNotice }: LostStore): Promise<Result<void>> {
  const isNew = isNewStore(file);
  if (!isNew.ok) return isNew;
  if (!isNew.value) return ok(undefined);
  const recalled = await rebuild();
  if (!recalled.ok)
    return err(
      domainError(
        "STORE_UNAVAILABLE",
        `the shared store ${file} is gone, and what it held cannot be told from the events: ${recalled.error.message}`,
        {
          details: {
            file,
            hint: "put the store back from a backup, or the session that cannot be read (`writ session verify --all` names it); one that is given up for good is moved out of planes/",
          },
          cause: recalled.error,
        },
      ),
    );
  if (!recalled.value) return ok(undefined);
  const rebuilt = rebuildSharedStore(file, clock, recalled.value);
  if (!rebuilt.ok) return rebuilt;
  if (rebuilt.value) onNotice?.(noticeOf(file, recalled.value));
  return ok(undefined);
}

function noticeOf(file: string, recalled: Rebuilt): string {
  const { sessions, halts, orders, approvals, shares, toolPins, apiKeys } = recalled;
  const counted = [
    count(halts, "standing halt"),
    count(orders, "order"),
    count(shares, "share of the budget", "shares of the budget"),
    count(approvals, "approval"),
    count(toolPins, "approved tool"),
    count(apiKeys, "API key"),
  ];
  const events = `the events of ${sessions} ${sessions === 1 ? "session" : "sessions"}`;
  return `the shared store ${file} was gone and is rebuilt from ${events}: ${counted.join(", ")}`;
}

function count(list: readonly unknown[], one: string, many = `${one}s`): string {
  return `${list.length} ${list.length === 1 ? one : many}`;
}
