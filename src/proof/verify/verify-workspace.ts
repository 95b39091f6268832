import type { SchemaRegistry } from "#core/contracts";
import { isSessionId, type SessionId, zeroHash } from "#core/values";
import type { LedgerRules, LogReader } from "#log";
import { anchorFile, firstLink, linkAmongRecords, linkRefused, planesOnDisk, readSnapshot, sessionIds } from "#log";
import type { AnchorLeaf } from "../anchors/anchor-leaf.ts";
import type { Checkpoint } from "../anchors/checkpoint.ts";
import { MerkleTree, type TreeHash } from "../anchors/merkle.ts";
import { type AnchorRecord, type AnchorView, readAnchors, readAnchorsOf } from "../anchors/read-anchors.ts";
import type { VerifyingKey } from "../anchors/signing-key.ts";
import { signerOf } from "../anchors/succession.ts";
import { readingOthers } from "./read-other.ts";
import { type ReadOther, type SessionAudits, type Verification, verifySession } from "./verify-session.ts";
import type { Note, Violation } from "./violation.ts";

export interface WorkspaceVerifyOptions {
  /** The workspace. */
  readonly root: string;
  readonly reader: LogReader;
  readonly schemas: Pick<SchemaRegistry, "has" | "validate">;
  readonly rules: LedgerRules;
  readonly audits?: SessionAudits;
  /** The workspace's public key; without one, signatures are not looked at, and a note says so. */
  readonly key: VerifyingKey | undefined;
  /** A checkpoint that was kept elsewhere. */
  readonly checkpoint?: Checkpoint;
  /** Why the store is not what this machine saw last. */
  readonly behind?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** What was proven before of sessions whose bytes are the same still; asked before one is read. */
  readonly verified?: VerifiedSessions;
}

export interface VerifiedSessions {
  get(session: VerifiedPlace): Verification | undefined;
  keep(session: VerifiedPlace, verification: Verification): void;
}

export interface VerifiedPlace {
  readonly session_id: SessionId;
  readonly folder: string;
  /** The heads that the anchor log holds for it. */
  readonly anchored: string;
}

export interface Progress {
  readonly sessions: number;
  readonly totalSessions: number;
  readonly events: number;
  readonly session_id: SessionId;
}

export interface WorkspaceVerification {
  readonly ok: boolean;
  /** Over all sessions. */
  readonly events: number;
  readonly sessions: readonly Verification[];
  /** Of the anchor log and the checkpoint; those of a session are in its own. */
  readonly violations: readonly Violation[];
  readonly notes: readonly Note[];
  readonly anchors: { readonly heads: number; readonly checkpoints: number; readonly root_hash: string | null };
  /** False when it was interrupted. */
  readonly complete: boolean;
}

/** Proves one session together with what the anchor log and a kept checkpoint say. */
export async function verifyOne(
  session_id: SessionId,
  options: WorkspaceVerifyOptions,
): Promise<WorkspaceVerification> {
  const { root, key, reader, checkpoint } = options;
  const link = firstLink(root, anchorFile(root));
  if (link !== undefined) return linkedAnchors(link);
  // Whether a kept checkpoint is a beginning of the log only the hashes of all its leaves tell.
  if (checkpoint) return verifyThese([session_id], options, allOf(await readAnchors(root, key, reader)));
  return verifyThese([session_id], options, { view: await readAnchorsOf(session_id, root, key, reader) });
}

/** Proves every session, and that none of those that were anchored is gone. */
export async function verifyAll(options: WorkspaceVerifyOptions): Promise<WorkspaceVerification> {
  const { root, key, reader } = options;
  const ids = await sessionIds(root, reader);
  const link = firstLink(root, anchorFile(root));
  if (link !== undefined) return linkedAnchors(link);
  const anchors = allOf(await readAnchors(root, key, reader));
  const result = await verifyThese(ids, options, anchors);
  if (!result.complete) return result;
  const missed: Violation[] = [...missingSessions(bySession(anchors.view.leaves), new Set<string>(ids))];
  if (options.behind !== undefined)
    missed.push({ kind: "rolled_back", at: null, where: "checkpoint", message: options.behind });
  return { ...result, ok: result.ok && missed.length === 0, violations: [...result.violations, ...missed] };
}

/** What the sessions are held against: the leaves that matter for them, or the whole record. */
interface AnchorsInForce {
  readonly view: AnchorView;
  readonly record?: AnchorRecord;
}

function allOf(record: AnchorRecord): AnchorsInForce & { readonly record: AnchorRecord } {
  const { leaves, checkpoints, faults, torn } = record;
  const view = {
    leaves,
    heads: leaves.length,
    checkpoints: checkpoints.length,
    newest: checkpoints.at(-1),
    faults,
    torn,
  };
  return { record, view };
}

async function verifyThese(
  ids: readonly SessionId[],
  options: WorkspaceVerifyOptions,
  { view, record }: AnchorsInForce,
): Promise<WorkspaceVerification> {
  const leaves = bySession(view.leaves);
  const violations: Violation[] = view.faults.map(({ kind, line, message }) => ({
    kind,
    at: line,
    where: "anchors",
    message: `line ${line} of the anchor log: ${message}`,
  }));
  if (record) violations.push(...againstCheckpoint(record, options));
  const sessions: Verification[] = [];
  let events = 0;
  let complete = true;
  const readOther = readingOthers(options.reader);
  for (const [index, session_id] of ids.entries()) {
    if (options.signal?.aborted) {
      complete = false;
      break;
    }
    const before = events;
    const report = (done: number) =>
      options.onProgress?.({ sessions: index, totalSessions: ids.length, events: before + done, session_id });
    const verification = await verifyWith(session_id, leaves.get(session_id) ?? [], { ...options, readOther }, report);
    sessions.push(verification);
    events += verification.events;
    report(verification.events);
  }
  return {
    ok: violations.length === 0 && sessions.every(({ ok }) => ok),
    events,
    sessions,
    violations,
    notes: notesOf(view, options),
    anchors: { heads: view.heads, checkpoints: view.checkpoints, root_hash: view.newest?.root_hash ?? null },
    complete,
  };
}

async function verifyWith(
  session_id: SessionId,
  anchored: readonly AnchorLeaf[],
  options: WorkspaceVerifyOptions & { readonly readOther: ReadOther },
  onProgress: (events: number) => void,
): Promise<Verification> {
  const { reader, schemas, rules, audits, readOther } = options;
  const place = await reader.locate(session_id);
  if (!place.ok && anchored.length > 0) return gone(session_id, anchored);
  const link = place.ok ? linkAmongRecords(place.value.folder) : undefined;
  if (link !== undefined) return linked(session_id, link);
  const heads = anchored.map(({ seq, head_hash }) => `${seq} ${head_hash}`).join("\n");
  const known = place.ok ? { session_id, folder: place.value.folder, anchored: heads } : undefined;
  const before = known && options.verified?.get(known);
  if (before) return before;
  const snapshot = place.ok ? readSnapshot(place.value.folder) : undefined;
  const here = {
    ...(place.ok ? { tier: place.value.tier } : {}),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(audits === undefined ? {} : { audits }),
  };
  const verification = await verifySession(session_id, {
    reader,
    schemas,
    rules,
    anchored,
    onProgress,
    readOther,
    ...here,
  });
  const found = withoutCopies(verification, options.root);
  if (known) options.verified?.keep(known, found);
  return found;
}

/** Of two folders of one session only one is verified. The other is a violation: a listing would show it unproven. */
function withoutCopies(verification: Verification, root: string): Verification {
  const planes = planesOnDisk(root, verification.session_id);
  if (planes.length < 2) return verification;
  const message = `the session lies on ${planes.join(" and ")}: only the first of them was read`;
  const copied: Violation = { kind: "misplaced", at: null, where: "session", message };
  return { ...verification, ok: false, violations: [...verification.violations, copied] };
}

function bySession(all: readonly AnchorLeaf[]): ReadonlyMap<string, readonly AnchorLeaf[]> {
  const groups = new Map<string, AnchorLeaf[]>();
  for (const leaf of all) {
    const group = groups.get(leaf.session_id);
    if (group) group.push(leaf);
    else groups.set(leaf.session_id, [leaf]);
  }
  return groups;
}

function gone(session_id: SessionId, anchored: readonly AnchorLeaf[]): Verification {
  const newest = anchored.at(-1) as AnchorLeaf;
  return {
    ok: false,
    session_id,
    closed: newest.closed_at !== null,
    events: 0,
    head_hash: newest.head_hash,
    violations: [missing(newest)],
    notes: [],
  };
}

/** Nothing of it was read. */
function linked(session_id: SessionId, link: string): Verification {
  const violations = [linkViolation(link, "session")];
  return { ok: false, session_id, closed: false, events: 0, head_hash: zeroHash, violations, notes: [] };
}

function linkedAnchors(link: string): WorkspaceVerification {
  return {
    ok: false,
    events: 0,
    sessions: [],
    violations: [linkViolation(link, "anchors")],
    notes: [],
    anchors: { heads: 0, checkpoints: 0, root_hash: null },
    complete: true,
  };
}

function linkViolation(link: string, where: Violation["where"]): Violation {
  return { kind: "link", at: null, where, message: linkRefused(link).message };
}

function missing({ session_id, seq }: AnchorLeaf): Violation {
  return {
    kind: "session_missing",
    at: null,
    where: "session",
    message: `the session ${session_id} was anchored with ${seq} events and is not here any more`,
  };
}

function* missingSessions(
  leaves: ReadonlyMap<string, readonly AnchorLeaf[]>,
  present: ReadonlySet<string>,
): Generator<Violation> {
  // The heads of runs stand in the same log; their records are the kernel's to prove.
  for (const [session_id, anchored] of leaves)
    if (isSessionId(session_id) && !present.has(session_id)) yield missing(anchored.at(-1) as AnchorLeaf);
}

/** The kept checkpoint must be the beginning of what the workspace has now. */
function againstCheckpoint(record: AnchorRecord, options: WorkspaceVerifyOptions): readonly Violation[] {
  const { checkpoint, key } = options;
  if (!checkpoint) return [];
  const violations: Violation[] = [];
  const blame = (kind: Violation["kind"], message: string) =>
    violations.push({ kind, at: null, where: "checkpoint", message });
  if (key && !signerOf(checkpoint, key))
    blame(
      "checkpoint_key",
      `the checkpoint is by the key ${checkpoint.key_id.slice(0, 12)}…, this workspace has ${key.key_id.slice(0, 12)}…`,
    );
  if (record.hashes.length < checkpoint.tree_size)
    blame(
      "rolled_back",
      `the checkpoint of ${checkpoint.ts} covers ${checkpoint.tree_size} heads, the workspace has ${record.hashes.length}`,
    );
  else if (rootAt(record.hashes, checkpoint.tree_size) !== checkpoint.root_hash)
    blame(
      "rewritten",
      `the first ${checkpoint.tree_size} heads do not have the root that the checkpoint of ${checkpoint.ts} names`,
    );
  return violations;
}

function rootAt(hashes: readonly TreeHash[], size: number): string {
  const tree = new MerkleTree();
  for (let index = 0; index < size; index++) tree.append(hashes[index] as TreeHash);
  return tree.root().toString("hex");
}

function notesOf(view: AnchorView, { key, checkpoint }: WorkspaceVerifyOptions): readonly Note[] {
  const notes: Note[] = [];
  if (!key)
    notes.push({ kind: "no_key", message: "the workspace has no readable public key: signatures were not checked" });
  if (view.checkpoints === 0)
    notes.push({
      kind: "nothing_anchored",
      message: "nothing is anchored here yet: a deleted session or a rewritten history would not show",
    });
  if (view.torn > 0)
    notes.push({
      kind: "anchors_torn",
      message: `the anchor log ends in ${view.torn} lines without a checkpoint: a writer was cut off or is at work; the next one cuts them`,
    });
  if (checkpoint && view.heads > checkpoint.tree_size)
    notes.push({
      kind: "newer_than_checkpoint",
      message: `${view.heads - checkpoint.tree_size} heads are newer than the checkpoint: keep a fresh one with \`writ anchor checkpoint\``,
    });
  return notes;
}
