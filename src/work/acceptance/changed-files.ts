import type { SchemaTypes } from "#core/contracts";
import type { Event } from "#log";

type ChangedFile = SchemaTypes["acceptance_facts_v1"]["files"][number];

/** Gathers what the turns of a session changed: for each path the difference between before the first turn and after the last. */
export class ChangedFiles {
  readonly #files = new Map<string, ChangedFile>();

  add({ payload }: Event<"turn.committed">): void {
    for (const { path, sha256, bytes, change } of payload.outputs) {
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
