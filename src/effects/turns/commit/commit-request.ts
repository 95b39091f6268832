import type { Failpoint } from "#core/values";
import type { Recorder } from "#log";
import type { FileView } from "../layer/file-view.ts";
import type { RealizedWrite } from "../realized.ts";
import type { TurnStore } from "../turn-store.ts";
import type { Bases } from "./base-state.ts";
import type { RedoRecord } from "./redo-record.ts";

export interface CommitRequest {
  /** What the writes are committed into: the workspace itself, or the layer of an order. */
  readonly into: FileView;
  readonly store: TurnStore;
  readonly recorder: Recorder;
  readonly turnFolder: string;
  readonly turnId: string;
  /** Where the written file of a path lies. */
  readonly from: (path: string) => string;
  /** The written files stay there until the commit is over. */
  readonly keep?: boolean;
  readonly writes: readonly RealizedWrite[];
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** The state that each path had when the turn began. */
  readonly bases: Bases;
  /** Why the commit must not happen after all, asked under the lock. */
  readonly conflict: () => string | undefined;
  readonly event: RedoRecord["event"];
  readonly actor: string;
  readonly failpoint: Failpoint;
  /** What is left to do once the event is recorded, before the commit counts as over. May be repeated after a crash. */
  readonly finish?: () => void;
}
