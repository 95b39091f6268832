import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result, type SessionId } from "#core/values";
import type { LedgerRules, LogReader } from "#log";
import { type SessionAudits, type Verification, verifyRecord } from "../verify/verify-session.ts";
import type { Note, Violation } from "../verify/violation.ts";
import { type Judgement, judgeProofs, type Witnesses } from "./judge-proofs.ts";
import { type ExportedRecord, type ExportedSource, openExported } from "./open-exported.ts";

export interface ExportedVerifyOptions {
  readonly source: ExportedSource;
  /** The session that the record must be of. Default: the one that the record itself names. */
  readonly session_id?: SessionId;
  readonly witnesses: Witnesses;
  readonly schemas: Pick<SchemaRegistry, "has" | "validate">;
  readonly rules: LedgerRules;
  readonly audits?: SessionAudits;
  readonly signal: AbortSignal;
  readonly onProgress?: (events: number) => void;
}

/** In the order in which one rests on the other. */
const claims = ["chain", "ledgers", "completeness", "anchors", "signature", "checkpoint"] as const;
export type Claim = (typeof claims)[number];

export interface ExportedVerification extends Verification {
  readonly form: ExportedRecord["form"];
  readonly proved: readonly Claim[];
  readonly not_proved: readonly Claim[];
}

/** Proves what `writ session export` made without its workspace: reads it once, writes nothing and calls no other service. */
export async function verifyExported(options: ExportedVerifyOptions): Promise<Result<ExportedVerification>> {
  const { witnesses, schemas, rules, audits, signal, onProgress } = options;
  const record = await openExported(options.source);
  if (signal.aborted) return err(interrupted());
  if (!record.ok) return record;
  const session_id = options.session_id ?? record.value.session_id;
  const { reader, ledgers, snapshot } = record.value;
  const judged = judgementOf(session_id, record.value, witnesses, schemas);
  try {
    const found = await verifyRecord(session_id, {
      reader: { ...reader, readLines: (id) => untilAborted(reader.readLines(id), signal) },
      schemas,
      rules,
      ...judged.anchors,
      readAgain: () => readAgain(options.source, session_id),
      ...(audits ? { audits } : {}),
      ...(ledgers ? { ledgers } : {}),
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(onProgress ? { onProgress } : {}),
    });
    return signal.aborted ? err(interrupted()) : ok(concluded(found, record.value, judged));
  } finally {
    await record.value.close();
  }
}

function readAgain(source: ExportedSource, session_id: SessionId): ReturnType<LogReader["readLines"]> | undefined {
  return "path" in source ? linesOf(source, session_id) : undefined;
}

async function* linesOf(
  source: ExportedSource,
  session_id: SessionId,
): ReturnType<LogReader["readLines"]> & AsyncGenerator {
  const record = await openExported(source);
  if (!record.ok) {
    yield record;
    return;
  }
  try {
    yield* record.value.reader.readLines(session_id);
  } finally {
    await record.value.close();
  }
}

interface Judged {
  readonly anchors: Pick<Parameters<typeof verifyRecord>[1], "anchored" | "anchoredBehind">;
  /** Undefined while it was not reached. */
  judgement: Judgement | undefined;
  /** What was found behind the ledgers of a bundle. */
  readonly violations: Violation[];
  readonly notes: Note[];
}

/** A bundle has its proof behind everything else; for the others it is known before. */
function judgementOf(
  session_id: SessionId,
  record: ExportedRecord,
  witnesses: Witnesses,
  schemas: ExportedVerifyOptions["schemas"],
): Judged {
  const judge = (own: unknown) => judgeProofs(session_id, own, witnesses, schemas);
  if (record.form !== "bundle") {
    const judgement = judge(record.form === "folder" ? record.proof : null);
    return { anchors: { anchored: judgement.leaves }, judgement, violations: [], notes: [] };
  }
  const judged: Judged = {
    anchors: {
      anchoredBehind: async () => {
        const end = await record.end();
        if (!end) return undefined;
        if (!end.ok) {
          judged.violations.push({ kind: "unreadable", at: null, where: "anchors", message: end.error.message });
          return undefined;
        }
        if (!end.value.isOwnPage)
          judged.notes.push({
            kind: "page_differs",
            message:
              "the page around the record is not the one that this Writ writes, but another version's, or it was changed: the record was judged, not what the page shows in a browser",
          });
        judged.judgement = judge(end.value.proof);
        return judged.judgement.leaves;
      },
    },
    judgement: undefined,
    violations: [],
    notes: [],
  };
  return judged;
}

function concluded(found: Verification, record: ExportedRecord, judged: Judged): ExportedVerification {
  const { judgement } = judged;
  const violations = [...found.violations, ...judged.violations, ...(judgement?.violations ?? [])];
  const broken = new Set(violations.map(claimOf));
  const isAnchored = judgement?.leaves.some(({ closed_at }) => !found.closed || closed_at !== null) ?? false;
  const isReached: Readonly<Record<Claim, boolean>> = {
    chain: true,
    ledgers: record.form !== "events",
    completeness: found.closed && !found.notes.some(({ kind }) => kind === "corrections_unread"),
    anchors: isAnchored,
    signature: isAnchored && !broken.has("anchors") && (judgement?.isSigned ?? false),
    checkpoint: isAnchored && !broken.has("anchors") && (judgement?.isHeld ?? false),
  };
  // On a broken chain nothing rests, and what else could have been proved is beside the point.
  const isSound = !broken.has("chain");
  const proved = claims.filter((claim) => isSound && isReached[claim] && !broken.has(claim));
  return {
    ...found,
    ok: violations.length === 0,
    violations,
    notes: isSound ? notesOf(found, record, judged) : judged.notes,
    form: record.form,
    proved,
    not_proved: claims.filter((claim) => !proved.includes(claim)),
  };
}

function notesOf(found: Verification, record: ExportedRecord, { judgement, notes }: Judged): readonly Note[] {
  // That no proof was handed over does not mean that there is none.
  const isBare = judgement !== undefined && judgement.leaves.length === 0;
  const said = found.notes.filter(({ kind }) => kind !== "open" && !(kind === "not_anchored" && isBare));
  if (!found.closed)
    said.push({
      kind: "open",
      message:
        "the record ends before session.close: the session was still open when it was exported, or its end was cut off; what is open in it was not judged",
    });
  if (record.form === "events")
    said.push({
      kind: "no_ledgers",
      message: "the ledgers are not in this file: name the exported folder, or a bundle, to have them compared",
    });
  if (isBare && judgement.violations.length === 0)
    said.push({
      kind: "not_anchored",
      message:
        "nothing here shows that the session is anchored: an end that was cut off, or a rewrite of the whole, would not show; the exported folder and the bundle hold the proof, or `writ anchor prove SESSION` prints it (--proof)",
    });
  return [...said, ...notes, ...(judgement?.notes ?? [])];
}

function claimOf({ kind, where }: Violation): Claim {
  if (where === "checkpoint") return "checkpoint";
  if (where === "anchors") return kind === "anchor_key" || kind === "not_proven" ? "signature" : "anchors";
  if (where === "exec" || where === "evidence" || kind === "ledger_head") return "ledgers";
  if (kind === "cut_tail" || kind === "head_differs") return "anchors";
  return kind.startsWith("audit_") || kind === "correction" ? "completeness" : "chain";
}

async function* untilAborted<T>(portions: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const portion of portions) {
    if (signal.aborted) return;
    yield portion;
  }
}

function interrupted() {
  return domainError("INTERRUPTED", "interrupted before the end: nothing is said about the record", {
    details: { hint: "run it again, nothing was changed" },
  });
}
