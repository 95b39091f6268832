import type { SchemaRegistry } from "#core/contracts";
import { type DomainError } from "#core/errors";
import { isJsonObject, isSessionId, type Result, type SessionId, type Sha256 } from "#core/values";
import type { Event, LogReader, RawLine } from "#log";
import {
  type Amendments,
  checkLink,
  deriveLedgers,
  type Envelope,
  emptyHead,
  emptyLedgers,
  Fold,
  type Head,
  isTier,
  type LedgerHeads,
  type LedgerRules,
  parseLine,
  snapshotText,
  type Tier,
} from "#log";
import type { AnchorLeaf } from "../anchors/anchor-leaf.ts";
import { Audit } from "./audit.ts";
import { HashList } from "./hash-list.ts";
import { LedgerCheck, type LedgerWalk } from "./ledger-check.ts";
import type { Note, Violation, ViolationKind } from "./violation.ts";

export interface VerifyOptions {
  readonly reader: Pick<LogReader, "readLines" | "readLedger">;
  readonly schemas: Pick<SchemaRegistry, "has" | "validate">;
  readonly rules: LedgerRules;
  /** How the ledgers are compared. Default: line by line beside the events. */
  readonly ledgers?: { readonly exec: LedgerWalk; readonly evidence: LedgerWalk };
  /** The heads of this session that the anchor log vouches for. */
  readonly anchored?: readonly AnchorLeaf[];
  /** The same where they are known only behind the ledgers; undefined when it could not be read so far. */
  readonly anchoredBehind?: () => Promise<readonly AnchorLeaf[] | undefined>;
  /** The same lines once more, for what corrections do to them; undefined where the record can be read only once. */
  readonly readAgain?: () => ReturnType<LogReader["readLines"]> | undefined;
  /** The plane on which it lies; its first event says which one it belongs to. */
  readonly tier?: Tier;
  /** The bytes of `snapshot.json`, if there are any. */
  readonly snapshot?: string;
  readonly onProgress?: (events: number) => void;
  /** What places to the right check of a record; each session gets fresh ones. */
  readonly audits?: SessionAudits;
  /** Where other sessions can be read. Absent: this one is looked at alone. */
  readonly readOther?: ReadOther;
}

/** Looks at the events of one session in their order, and says what is wrong with one. */
export interface SessionAudit {
  readonly kind: ViolationKind;
  add(event: Event): string | undefined;
  /** Another session whose events it needs before it is shown the next one of this session. */
  wants?(): string | undefined;
  /** Hands that session in; undefined where it cannot be read. */
  give?(session_id: string, events: readonly Event[] | undefined): void;
}

/** Reads a session that another one rests on; undefined where it is not at hand. */
export type ReadOther = (session_id: SessionId) => Promise<readonly Event[] | undefined>;

export type SessionAudits = readonly (() => SessionAudit)[];

export interface Verification {
  readonly ok: boolean;
  readonly session_id: SessionId;
  readonly closed: boolean;
  readonly events: number;
  readonly head_hash: Sha256;
  readonly violations: readonly Violation[];
  readonly notes: readonly Note[];
}

/** Proves a session from its bytes up. Reads once, holds nothing but what is still open, and stops at the first broken link. */
export async function verifySession(session_id: SessionId, options: VerifyOptions): Promise<Verification> {
  let verification = await new SessionCheck(session_id, options).run();
  // Events and ledgers are read one after the other, so an active writer makes them differ at the end. Then a second read
  // finds a newer head. A difference while the head stays the same is a finding.
  for (let look = 0; look < 3 && differsOnlyAtLedgerEnd(verification); look++) {
    const again = await new SessionCheck(session_id, options).run();
    if (again.ok || again.head_hash === verification.head_hash) return again;
    verification = again;
  }
  return differsOnlyAtLedgerEnd(verification) && !verification.closed ? withoutLedgerEnd(verification) : verification;
}

/** Proves a record that has no writer any more. It is read once, so a stream will do. */
export function verifyRecord(session_id: SessionId, options: VerifyOptions): Promise<Verification> {
  return new SessionCheck(session_id, options).run();
}

function differsOnlyAtLedgerEnd({ closed, violations }: Verification): boolean {
  return (
    !closed &&
    violations.length > 0 &&
    violations.every(({ kind }) => kind === "ledger_extra" || kind === "ledger_missing")
  );
}

function withoutLedgerEnd(verification: Verification): Verification {
  const message = "the session is being written: the newest entries of its ledgers were not compared";
  return { ...verification, ok: true, violations: [], notes: [...verification.notes, { kind: "open", message }] };
}

class SessionCheck {
  readonly #session_id: SessionId;
  readonly #options: VerifyOptions;
  readonly #violations: Violation[] = [];
  readonly #notes: Note[] = [];
  readonly #exec: LedgerWalk;
  readonly #evidence: LedgerWalk;
  readonly #audit = new Audit();
  readonly #audits: readonly SessionAudit[];
  readonly #fold: Fold;
  /** Anchored heads by seq; what the chain has at that seq must be the same as each of them says. */
  #anchored: ReadonlyMap<number, readonly AnchorLeaf[]> | undefined;
  /** What may be asked for by heads that are known later. */
  readonly #hashes: HashList | undefined;
  readonly #met = new Set<number>();
  readonly #knownTypes = new Set<string>();
  #head: Head = emptyHead;
  #ledgers: LedgerHeads = emptyLedgers;
  #close: Event<"session.close"> | undefined;
  #isSchemaBroken = false;

  constructor(session_id: SessionId, options: VerifyOptions) {
    this.#session_id = session_id;
    this.#options = options;
    this.#exec = options.ledgers?.exec ?? new LedgerCheck(options.reader, session_id, "exec");
    this.#evidence = options.ledgers?.evidence ?? new LedgerCheck(options.reader, session_id, "evidence");
    this.#audits = (options.audits ?? []).map((make) => make());
    this.#fold = new Fold(session_id, options.schemas);
    this.#anchored = options.anchored && bySeq(options.anchored);
    this.#hashes = options.anchoredBehind && new HashList();
  }

  async run(): Promise<Verification> {
    const isWhole = await this.#walkAll();
    if (isWhole && this.#hashes) await this.#checkLater(this.#hashes);
    this.#checkAnchors(isWhole);
    for (const { violation } of [this.#exec, this.#evidence]) if (violation) this.#violations.push(violation);
    if (this.#close) {
      if (isWhole) this.#violations.push(...this.#audit.finish());
    } else if (isWhole)
      this.#notes.push({
        kind: "open",
        message: "the session has not closed: what is still open in it was not judged",
      });
    const fold = isWhole && !this.#isSchemaBroken ? await this.#checkCorrections() : undefined;
    if (fold && this.#violations.length === 0) this.#checkSnapshot(fold);
    return {
      ok: this.#violations.length === 0,
      session_id: this.#session_id,
      closed: this.#close !== undefined,
      events: this.#head.seq,
      head_hash: this.#head.hash,
      violations: this.#violations,
      notes: this.#notes,
    };
  }

  async #walkAll(): Promise<boolean> {
    try {
      if (!(await this.#walk())) return false;
      await this.#exec.finish();
      await this.#evidence.finish();
      return true;
    } finally {
      await this.#exec.stop();
      await this.#evidence.stop();
    }
  }

  /** True when every line was proven and linked. */
  async #walk(): Promise<boolean> {
    for await (const portion of this.#options.reader.readLines(this.#session_id)) {
      if (!portion.ok) {
        this.#violations.push({ kind: "unreadable", at: null, where: "session", message: portion.error.message });
        return false;
      }
      for (const line of portion.value) {
        if (!this.#exec.isReady) await this.#exec.refill();
        if (!this.#evidence.isReady) await this.#evidence.refill();
        if (!this.#take(line)) return false;
        for (const audit of this.#audits) if (audit.wants?.() !== undefined) await this.#fetchFor(audit);
      }
      this.#options.onProgress?.(this.#head.seq);
    }
    if (this.#head.seq > 0) return true;
    this.#blame("no_start", 1, "the session has no events");
    return false;
  }

  async #fetchFor(audit: SessionAudit): Promise<void> {
    const { readOther } = this.#options;
    for (let wanted = audit.wants?.(); wanted !== undefined; wanted = audit.wants?.())
      audit.give?.(wanted, readOther && isSessionId(wanted) ? await readOther(wanted) : undefined);
  }

  /** Proves one line and everything that hangs on it; false when nothing after it can be judged. */
  #take(line: RawLine): boolean {
    if (line.fault) {
      this.#blame(
        line.fault,
        line.number,
        line.fault === "torn" ? "the file ends in the middle of this event" : "the line is not UTF-8",
      );
      return false;
    }
    const parsed = parseLine(line.text);
    if (!parsed.ok) return this.#blameFault(parsed.error, line.number);
    const linked = checkLink(parsed.value, this.#head, this.#session_id);
    if (!linked.ok) return this.#blameFault(linked.error, line.number);
    const entry = parsed.value;
    this.#head = { seq: entry.seq, hash: entry.hash };
    this.#hashes?.push(entry.hash);
    const leaves = this.#anchored?.get(entry.seq);
    if (leaves) for (const leaf of leaves) this.#checkLeaf(leaf, entry);
    if (this.#close)
      this.#blame("after_close", entry.seq, `event ${entry.seq} (${entry.type}) stands after session.close`);
    if (entry.seq === 1 && entry.type !== "session.start")
      this.#blame("no_start", 1, `the first event is ${entry.type}, expected session.start`);
    if (entry.seq === 1) this.#checkPlane(entry);
    this.#checkContract(entry);
    this.#checkLedgers(entry);
    const event = entry as unknown as Event;
    if (!this.#isSchemaBroken) {
      this.#notes.push(...this.#audit.add(event));
      for (const audit of this.#audits) {
        const problem = audit.add(event);
        if (problem !== undefined) this.#blame(audit.kind, entry.seq, `event ${entry.seq} (${entry.type}): ${problem}`);
      }
      this.#fold.add(event);
    }
    if (event.type === "session.close") this.#checkClose(event);
    return true;
  }

  #checkPlane({ payload }: Envelope): void {
    const { tier } = this.#options;
    const said = payload["tier"];
    if (tier !== undefined && isTier(said) && said !== tier)
      this.#blame("misplaced", 1, `the session lies on the plane ${tier}, its first event says ${said}`);
  }

  #checkContract(entry: Envelope): void {
    const id = `${entry.type}_v1`;
    if (!this.#knownTypes.has(id)) {
      if (!this.#options.schemas.has(id)) {
        this.#isSchemaBroken = true;
        this.#blame(
          "unknown_type",
          entry.seq,
          `event ${entry.seq} has the type "${entry.type}", which this Writ does not know`,
        );
        return;
      }
      this.#knownTypes.add(id);
    }
    const valid: Result<unknown> = this.#options.schemas.validate(id, entry.payload);
    if (valid.ok) return;
    this.#isSchemaBroken = true;
    this.#blame(
      "schema",
      entry.seq,
      `event ${entry.seq} (${entry.type}) does not keep its contract: ${valid.error.message}`,
    );
  }

  #checkLedgers(entry: Envelope): void {
    const lines = deriveLedgers(entry, this.#options.rules, this.#ledgers);
    if (!lines) return;
    this.#ledgers = lines.heads;
    this.#exec.compare(lines.exec.text);
    if (lines.evidence) this.#evidence.compare(lines.evidence.text);
  }

  #checkClose(event: Event<"session.close">): void {
    this.#close ??= event;
    const { exec_head, evidence_head, exec_entries, evidence_entries } = event.payload;
    const { exec, evidence } = this.#ledgers;
    if (
      exec_head !== exec.hash ||
      evidence_head !== evidence.hash ||
      (exec_entries ?? exec.seq) !== exec.seq ||
      (evidence_entries ?? evidence.seq) !== evidence.seq
    )
      this.#blame("ledger_head", event.seq, "session.close names other ledger heads than the events before it yield");
  }

  async #checkLater(hashes: HashList): Promise<void> {
    const leaves = await this.#options.anchoredBehind?.();
    if (!leaves) return;
    this.#anchored = bySeq(leaves);
    for (const leaf of leaves) {
      if (leaf.seq < 1 || leaf.seq > hashes.length) continue;
      const payload = this.#close?.seq === leaf.seq ? this.#close.payload : {};
      this.#checkLeaf(leaf, { seq: leaf.seq, hash: hashes.at(leaf.seq - 1), payload });
    }
  }

  #checkLeaf(leaf: AnchorLeaf, entry: Pick<Envelope, "seq" | "hash"> & { readonly payload: object }): void {
    this.#met.add(leaf.seq);
    const payload: Readonly<Record<string, unknown>> = isJsonObject(entry.payload) ? entry.payload : {};
    const isSame =
      leaf.head_hash === entry.hash &&
      (leaf.closed_at === null ||
        (leaf.exec_head === payload["exec_head"] && leaf.evidence_head === payload["evidence_head"]));
    if (!isSame)
      this.#blame(
        "head_differs",
        entry.seq,
        `event ${entry.seq} has the hash ${short(entry.hash)}, the anchor log vouches for ${short(leaf.head_hash)}`,
      );
  }

  #checkAnchors(isWhole: boolean): void {
    if (!this.#anchored) return;
    const anchored = [...this.#anchored.values()].flat();
    const missing = anchored.find((leaf) => !this.#met.has(leaf.seq));
    if (missing && isWhole)
      this.#blame(
        "cut_tail",
        this.#head.seq,
        `the session ends after event ${this.#head.seq}, the anchor log vouches for ${missing.seq} events`,
      );
    if (this.#close && !anchored.some(({ closed_at }) => closed_at !== null))
      this.#notes.push({
        kind: "not_anchored",
        message: "the session has closed and is not anchored: a cut end or a rewrite of it would not show",
      });
  }

  /** A second read, with the corrections applied, gives what replay shows. A session that replay would refuse fails here. */
  async #checkCorrections(): Promise<Fold | undefined> {
    if (this.#fold.found.size === 0) return this.#fold;
    const { readAgain, reader } = this.#options;
    const lines = readAgain ? readAgain() : reader.readLines(this.#session_id);
    if (!lines) {
      const message =
        "the record was read from a pipe, once: whether its corrections make sense was not judged; name its file to have that judged too";
      this.#notes.push({ kind: "corrections_unread", message });
      return undefined;
    }
    const fold = await this.#foldAgain(lines, this.#fold.found);
    if (fold && fold.headHash === this.#head.hash) return fold;
    if (fold) this.#blame("unreadable", this.#head.seq, "the session changed while it was read a second time");
    return undefined;
  }

  #checkSnapshot(fold: Fold): void {
    const { snapshot } = this.#options;
    if (snapshot !== undefined && snapshotText(fold.snapshot()) !== snapshot)
      this.#notes.push({
        kind: "snapshot_discarded",
        message: "snapshot.json is not what the events say and is not used; a fresh fold takes its place",
      });
  }

  /** As far as it was read the first time: a writer may have gone on. */
  async #foldAgain(lines: ReturnType<LogReader["readLines"]>, found: Amendments): Promise<Fold | undefined> {
    const fold = new Fold(this.#session_id, this.#options.schemas, found);
    for await (const portion of lines) {
      if (!portion.ok) return fold;
      for (const { text } of portion.value) {
        if (fold.eventCount === this.#head.seq) return fold;
        const entry = parseLine(text);
        if (!entry.ok) return fold;
        const added = fold.add(entry.value as unknown as Event);
        if (added.ok) continue;
        const { message, details } = added.error;
        const at = (details["amended_by"] as number | undefined) ?? entry.value.seq;
        this.#blame("correction", at, at === entry.value.seq ? message : `event ${at} (event.amended): ${message}`);
        return undefined;
      }
    }
    return fold;
  }

  #blameFault(error: DomainError, at: number): false {
    this.#blame(error.details["fault"] as ViolationKind, at, `event ${at}: ${error.message}`);
    return false;
  }

  #blame(kind: ViolationKind, at: number, message: string): void {
    this.#violations.push({ kind, at, where: "events", message });
  }
}

function bySeq(leaves: readonly AnchorLeaf[]): ReadonlyMap<number, readonly AnchorLeaf[]> {
  const groups = new Map<number, AnchorLeaf[]>();
  for (const leaf of leaves) groups.set(leaf.seq, [...(groups.get(leaf.seq) ?? []), leaf]);
  return groups;
}

function short(hash: string): string {
  return `${hash.slice(0, 12)}…`;
}
