import type { SchemaTypes } from "#core/contracts";
import type { Landing } from "#effects";
import type { SessionLog } from "#log";

export type ChangedFile = SchemaTypes["acceptance_facts_v1"]["files"][number];

/** A file of `turn.committed`, or of an order below that landed. */
interface Output {
  readonly path: string;
  readonly sha256: string | null;
  readonly bytes?: number;
  readonly change?: string;
}

/**
 * Gathers what the turns of a session and the orders below it changed: for each path the difference between before the first
 * and after the last.
 */
export class ChangedFiles {
  readonly #files = new Map<string, ChangedFile>();

  add(outputs: readonly Output[]): void {
    for (const { path, sha256, bytes, change } of outputs) {
      if (change !== "create" && change !== "change" && change !== "delete") continue;
      const before = this.#files.get(path);
      const isNew = before ? before.change === "create" : change === "create";
      if (change === "delete" && isNew) this.#files.delete(path);
      else
        this.#files.set(path, {
          path,
          sha256,
          change: change === "delete" ? "delete" : isNew ? "create" : "change",
          ...(bytes === undefined ? {} : { bytes }),
        });
    }
  }

  list(): readonly ChangedFile[] {
    return [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

/**
 * The files that an order has changed by now. Where they land whole, what waits to land says it: with what orders below and
 * the past of a fork left there. Where every turn lands by itself, the session's record does.
 */
export function filesChanged(
  { landing }: { readonly landing: Pick<Landing, "changes"> },
  {
    tally,
    session,
  }: { readonly tally: { readonly files: ChangedFiles }; readonly session: Pick<SessionLog, "session_id"> },
): readonly ChangedFile[] {
  const waiting = landing.changes(session.session_id);
  return waiting === undefined ? tally.files.list() : filesOf(waiting);
}

export function filesOf(outputs: readonly Output[]): readonly ChangedFile[] {
  const files = new ChangedFiles();
  files.add(outputs);
  return files.list();
}
