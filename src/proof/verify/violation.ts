import type { Event } from "#log";

/** One thing that is not as it must be. */
export interface Violation {
  readonly kind: ViolationKind;
  /** Line of the file that `where` names, counted from 1; for events it is the seq. null when it concerns the whole. */
  readonly at: number | null;
  readonly where: Where;
  readonly message: string;
}

export type Where = "events" | "exec" | "evidence" | "anchors" | "checkpoint" | "session";

/** Not wrong, and still worth knowing. */
export interface Note {
  readonly kind:
    | "open"
    | "not_anchored"
    | "snapshot_discarded"
    | "anchors_torn"
    | "no_key"
    | "nothing_anchored"
    | "newer_than_checkpoint"
    | "no_checkpoint"
    | "no_ledgers"
    | "corrections_unread"
    | "page_differs"
    | "foreign";
  readonly message: string;
}

export type ViolationKind =
  | "not_utf8"
  | "torn"
  | "not_json"
  | "shape"
  | "not_canonical"
  | "hash"
  | "version"
  | "seq"
  | "prev_hash"
  | "session"
  | "unknown_type"
  | "schema"
  | "correction"
  | "no_start"
  | "after_close"
  | "ledger_differs"
  | "ledger_missing"
  | "ledger_extra"
  | "ledger_head"
  | "cut_tail"
  | "head_differs"
  | "session_missing"
  | "misplaced"
  | "unreadable"
  | "link"
  | "audit_llm"
  | "audit_tool"
  | "audit_hook"
  | "audit_transition"
  | "audit_skill"
  | "audit_workflow"
  | "audit_work_order"
  | "audit_schema"
  | "value_label_drift"
  | "anchor_line"
  | "anchor_root"
  | "anchor_signature"
  | "anchor_key"
  | "rolled_back"
  | "rewritten"
  | "checkpoint_key"
  | "not_proven";

interface Explanation {
  readonly means: string;
  readonly notMeans: string;
}

const bytesChanged: Explanation = {
  means: "the bytes on disk are not the ones that were written: a changed byte, a failing disk, or an edit by hand",
  notMeans: "it does not say who did it or when, and the events before this one are untouched",
};
const chainBroken: Explanation = {
  means:
    "a line was removed, added, repeated or moved here; each line names the one before it, and this one names another",
  notMeans: "it does not mean that the lines themselves are false: each may be genuine and stand in the wrong place",
};
const ledgerChanged: Explanation = {
  means: "the ledger file is not what the events say: the ledger was changed, cut, or taken from another session",
  notMeans: "the events themselves may be sound; the ledgers can be derived from them again",
};
const incomplete: Explanation = {
  means: "the session says that something began and not how it ended, or the other way round: its record has a gap",
  notMeans: "the bytes are genuine: this is a gap in what was recorded, not a change afterwards",
};
const anchorsChanged: Explanation = {
  means: "the anchor log itself was changed, so it can no longer vouch for the sessions after this line",
  notMeans: "the sessions may still be sound; a checkpoint kept elsewhere can tell",
};

/** What each finding says, and what it does not, for people who have to decide what to do next. */
export const explanations: Readonly<Record<ViolationKind, Explanation>> = {
  not_utf8: bytesChanged,
  torn: {
    means: "the file ends in the middle of a line",
    notMeans:
      "if a process died while writing, the line was never acknowledged; the next writer cuts it off and says so",
  },
  not_json: bytesChanged,
  shape: bytesChanged,
  not_canonical: bytesChanged,
  hash: bytesChanged,
  version: {
    means: "a newer Writ wrote this event, or someone pretends that one did",
    notMeans: "nothing is known to be wrong with it: this Writ cannot judge it",
  },
  seq: chainBroken,
  prev_hash: chainBroken,
  session: {
    means: "the line was written for another session and put here",
    notMeans: "the line may be genuine in the session that it names",
  },
  unknown_type: {
    means: "a newer Writ, or a workspace contract that is gone, knows this type of event",
    notMeans: "nothing is known to be wrong with it: this Writ cannot judge it",
  },
  schema: {
    means: "the event does not keep its type's contract: it did not come through append",
    notMeans: "its bytes have not changed since they were written",
  },
  correction: {
    means:
      "a correction names no event before it in its session, or another hash than that event has, or it says what the contract of that event does not allow: the session cannot be replayed",
    notMeans: "what was recorded first stands, and its bytes are genuine: it is the correction that makes no sense",
  },
  no_start: {
    means: "the session does not begin with session.start: its beginning is missing, or it was not made by Writ",
    notMeans: "the lines that are here are linked as they should be",
  },
  after_close: {
    means: "something was added after the session had ended",
    notMeans: "everything up to session.close stands",
  },
  ledger_differs: ledgerChanged,
  ledger_missing: ledgerChanged,
  ledger_extra: {
    means:
      "the ledger holds more than the events yield: the end of the events was cut off, or entries were added to the ledger",
    notMeans: "the events that are here are linked as they should be",
  },
  ledger_head: {
    means: "session.close names other ledger heads than the events yield",
    notMeans: "it does not tell which of the two was changed",
  },
  cut_tail: {
    means: "the session once had more events than it has now: its end was cut off after it was anchored",
    notMeans: "the events that are left are genuine up to where they end",
  },
  head_differs: {
    means:
      "the session was written anew after it was anchored: its hashes are consistent, and they are not the ones that were anchored",
    notMeans: "it does not say which events differ; a backup or an export from before can tell",
  },
  session_missing: {
    means: "a session that was anchored is gone: it was deleted or moved away",
    notMeans: "nothing is said about the sessions that are here",
  },
  misplaced: {
    means: "the session does not lie where it was written: its folder was moved or copied to another plane",
    notMeans: "the events that were read are genuine as far as nothing else is said; of two copies only one is read",
  },
  unreadable: { means: "the session could not be read to its end", notMeans: "it does not mean that it was changed" },
  link: {
    means: "a symbolic link stands where a record should lie, and leads to a file that is not the workspace's own",
    notMeans: "what it leads to was not read, so nothing is said about it",
  },
  audit_llm: incomplete,
  audit_tool: incomplete,
  audit_hook: {
    means: "something went through a gate, and no decision of that gate is recorded",
    notMeans: "the bytes are genuine: either the gate was bypassed or its decision was not recorded",
  },
  audit_transition: {
    means: "a role's step does not go on from where the one before it ended: a transition is missing from the record",
    notMeans: "the bytes are genuine: this is a gap in what was recorded, not a change afterwards",
  },
  audit_skill: incomplete,
  audit_workflow: incomplete,
  audit_work_order: incomplete,
  audit_schema: incomplete,
  value_label_drift: {
    means:
      "the record says of a value that it came from somewhere, or that the rules let it pass, and the events before it say otherwise (VALUE_LABEL_DRIFT)",
    notMeans:
      "the bytes are genuine: either the labels were computed wrongly, or what they refer to was written differently",
  },
  anchor_line: anchorsChanged,
  anchor_root: anchorsChanged,
  anchor_signature: anchorsChanged,
  anchor_key: {
    means:
      "the workspace's signing key is not the one that signed: the key was replaced, or the anchor log comes from elsewhere",
    notMeans: "a planned change of the key looks the same",
  },
  rolled_back: {
    means:
      "the workspace is older than the checkpoint: it was set back to an earlier state, and what came after is gone",
    notMeans: "what is left may be genuine",
  },
  rewritten: {
    means: "the sessions that the checkpoint covers are not the ones that are here now: history was written anew",
    notMeans: "it does not say which session differs",
  },
  checkpoint_key: {
    means:
      "the checkpoint was signed by another key than this workspace has: the wrong workspace, or its key and history were replaced",
    notMeans: "a planned change of the key looks the same",
  },
  not_proven: {
    means: "a key or a checkpoint was given to hold the record against, and nothing in it leads there",
    notMeans: "nothing is known to be wrong with it: what would prove it was not handed over, or was taken away",
  },
};

/** What the record of a foreign program proves, and what it does not. */
export function gradeNotes(event: Event): readonly Note[] {
  if (event.type !== "session.start" || event.payload.grade === undefined) return [];
  const { grade } = event.payload;
  const message = `grade ${grade}: a program that Writ did not make; what it asked of its model is whole, what it did by itself is not recorded`;
  return [{ kind: "foreign", message }];
}
