import { join } from "node:path";
import type { FileView } from "./file-view.ts";
import { appendToJournal, type JournalLine, type LayerChange, makeLayerFolder, objectsOf } from "./layer-journal.ts";

/** Counts the commits into all layers of this process. */
export interface CommitCounter {
  value: number;
}

/** What one order has written, over what lies below it: the workspace, or the layer of the order that it is a child of. */
export class OrderLayer implements FileView {
  readonly session_id: string;
  readonly folder: string;
  readonly below: FileView;
  readonly #counter: CommitCounter;
  readonly #lines = new Set<string>();
  readonly #changes = new Map<string, { readonly change: LayerChange; readonly commit: number }>();
  /** The changes of each folder, by name. */
  readonly #byFolder = new Map<string, Map<string, LayerChange>>();
  #deletes = 0;

  constructor(
    session_id: string,
    place: { readonly folder: string; readonly below: FileView; readonly counter: CommitCounter },
    lines: readonly JournalLine[] = [],
  ) {
    this.session_id = session_id;
    this.folder = place.folder;
    this.below = place.below;
    this.#counter = place.counter;
    for (const line of lines) this.#take(line);
  }

  get root(): string {
    return this.below.root;
  }

  get commits(): number {
    return this.#counter.value;
  }

  /** Every path that the order changed, from the top. */
  get changes(): readonly LayerChange[] {
    return [...this.#changes.values()].map(({ change }) => change).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  get changed(): readonly string[] {
    return [...new Set([...this.below.changed, ...this.#changes.keys()])].sort();
  }

  has(id: string): boolean {
    return this.#lines.has(id);
  }

  at(path: string): string {
    const own = this.#changes.get(path)?.change;
    if (own) return this.#placeOf(own) ?? this.#nowhere;
    return this.#isBelowDeleted(path) ? this.#nowhere : this.below.at(path);
  }

  changedIn(folder: string): ReadonlyMap<string, string | null> {
    const below = this.below.changedIn(folder);
    const own = this.#byFolder.get(folder);
    if (!own) return below;
    return new Map([...below, ...[...own].map(([name, change]) => [name, this.#placeOf(change)] as const)]);
  }

  commitOf(path: string): number | undefined {
    const own = this.#changes.get(path);
    if (own) return own.commit;
    return this.#isBelowDeleted(path) ? this.#counter.value : this.below.commitOf(path);
  }

  /** The folder into which the files of the next commit are put. */
  prepare(): string {
    makeLayerFolder(this.folder);
    return objectsOf(this.folder);
  }

  /** Commits a line: on disk first, then seen. */
  append(line: JournalLine): void {
    appendToJournal(this.folder, line);
    this.#take(line);
  }

  #take({ id, changes }: JournalLine): void {
    this.#lines.add(id);
    this.#counter.value += 1;
    for (const change of changes) {
      const { path } = change;
      const base = this.#changes.get(path)?.change.base ?? change.base;
      this.#forget(path);
      // What the order made and removed again leaves nothing to land.
      if (change.kind === "delete" && base.kind === "absent") continue;
      if (change.kind === "delete") this.#deletes += 1;
      this.#changes.set(path, { change: { ...change, base }, commit: this.#counter.value });
      const [folder, name] = split(path);
      const names = this.#byFolder.get(folder) ?? new Map<string, LayerChange>();
      this.#byFolder.set(folder, names.set(name, change));
    }
  }

  #forget(path: string): void {
    if (this.#changes.get(path)?.change.kind === "delete") this.#deletes -= 1;
    this.#changes.delete(path);
    const [folder, name] = split(path);
    this.#byFolder.get(folder)?.delete(name);
  }

  #placeOf(change: LayerChange): string | null {
    return change.kind === "delete" ? null : join(objectsOf(this.folder), change.object);
  }

  get #nowhere(): string {
    return join(this.folder, "deleted");
  }

  #isBelowDeleted(path: string): boolean {
    if (this.#deletes === 0) return false;
    const parts = path.split("/");
    return parts.some(
      (_, index) => this.#changes.get(parts.slice(0, index).join("/"))?.change.kind === "delete" && index > 0,
    );
  }
}

function split(path: string): readonly [folder: string, name: string] {
  const at = path.lastIndexOf("/");
  return at < 0 ? ["", path] : [path.slice(0, at), path.slice(at + 1)];
}
