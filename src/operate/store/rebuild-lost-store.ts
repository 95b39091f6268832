import { isNewStore } from "#core/database";
import { domainError } from "#core/errors";
import { type Clock, err, ok, type Result } from "#core/values";
import type { Rebuilt } from "./rebuild-from-events.ts";
import { rebuildSharedStore } from "./rebuild-shared-store.ts";

export interface LostStore {
  readonly clock: Clock;
  /** Reads from the events what the store held; undefined where nothing was ever recorded. */
  readonly rebuild: () => Promise<Result<Rebuilt | undefined>>;
  /** Called with one line when the store was gone and was rebuilt. */
  readonly onNotice?: ((line: string) => void) | undefined;
}

/**
 * An empty store in a workspace that has sessions was lost, and with it every halt, limit and decision: it is rebuilt from the
 * events before any session runs. Where that fails the workspace is not opened.
 */
export async function rebuildLostStore(file: string, { clock, rebuild, onNotice }: LostStore): Promise<Result<void>> {
  const isNew = isNewStore(file);
  if (!isNew.ok) return isNew;
  if (!isNew.value) return ok(undefined);
  const rebuilt = await rebuild();
  if (!rebuilt.ok)
    return err(
      domainError(
        "STORE_UNAVAILABLE",
        `the shared store ${file} is gone, and what it held cannot be told from the events: ${rebuilt.error.message}`,
        {
          details: {
            file,
            hint: "put the store back from a backup, or the session that cannot be read (`writ session verify --all` names it); one that is given up for good is moved out of planes/",
          },
          cause: rebuilt.error,
        },
      ),
    );
  if (!rebuilt.value) return ok(undefined);
  const written = rebuildSharedStore(file, clock, rebuilt.value);
  if (!written.ok) return written;
  if (written.value) onNotice?.(noticeOf(file, rebuilt.value));
  return ok(undefined);
}

function noticeOf(file: string, rebuilt: Rebuilt): string {
  const { sessions, halts, orders, approvals, shares, toolPins, apiKeys } = rebuilt;
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
