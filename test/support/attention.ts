import { type AssembledContext } from "#agents";
import { type AttentionTemplateV1, shippedRegistry } from "#core/contracts";
import { ok, type Result } from "#core/values";
import { whyUnreadable } from "#governance";
import type { Event, LogReader } from "#log";
import { type AttentionRequest } from "../../src/agents/context/attention-service.ts";
import { createAttention } from "../../src/agents/context/create-attention.ts";
import { type LedgerSearch } from "../../src/agents/context/ledger/ledger-search.ts";
import { scanLedgers } from "../../src/agents/context/ledger/scan-ledgers.ts";
import { type CustomStage } from "../../src/agents/context/pipeline/stage.ts";
import { type ManualClock, manualClock } from "../../src/core/values/manual-clock.ts";
import { mandateFor } from "./mandates.ts";
import { type MemoryFiles, memoryFiles } from "./memory-files.ts";
import { type MemoryRecorder, memoryRecorder } from "./memory-recorder.ts";

export interface AttentionHarness {
  readonly clock: ManualClock;
  readonly files: MemoryFiles;
  /** The session that asks. */
  readonly recorder: MemoryRecorder;
  assemble(request?: Partial<AttentionRequest>, signal?: AbortSignal): Promise<Result<AssembledContext>>;
  /** The last `attention.assembled`. */
  trace(): Event<"attention.assembled">["payload"];
}

export type TemplateDraft = Partial<AttentionTemplateV1> & Pick<AttentionTemplateV1, "pipeline">;

export interface HarnessOptions {
  readonly templates?: readonly TemplateDraft[];
  readonly files?: Readonly<Record<string, string>>;
  /** Closed sessions that can be found. */
  readonly sessions?: readonly MemoryRecorder[];
  readonly ledgers?: LedgerSearch;
  readonly custom?: Readonly<Record<string, CustomStage>>;
  readonly redact?: (text: string) => string;
  readonly redactLines?: (text: string) => string;
}

/** Attention over files and sessions in memory, with a clock that stands still. */
export function attentionHarness(options: HarnessOptions): AttentionHarness {
  const clock = manualClock();
  const files = memoryFiles(
    Object.fromEntries(Object.entries(options.files ?? {}).map(([path, text]) => [`/place/${path}`, text])),
  );
  const schemas = shippedRegistry();
  const recorder = memoryRecorder({ clock, seed: 999 });
  const log = logOf([recorder, ...(options.sessions ?? [])]);
  const templates = (options.templates ?? []).map((draft, index) => {
    const template = {
      template_id: `ATT-${index + 1}`,
      version: "1.0.0",
      applies_to: {},
      on_empty: "proceed" as const,
      ...draft,
    };
    const checked = schemas.validate("attention_template_v1", template);
    if (!checked.ok) throw new Error(checked.error.message);
    return { ...checked.value, hash: String(index).padStart(64, "0") };
  });
  const service = createAttention({
    resolveFramework: async () => ok({ folder: "frameworks/F", manifest: { attention_templates: [] } }),
    loadTemplates: async () => ok(templates),
    clock,
    redact: options.redact ?? ((text) => text),
    defaultLimits: { max_tokens: 10_000, max_queries: 100, timeout_ms: 1_000 },
    sources: {
      root: "/place",
      registryRoots: ["/place", "/shipped"],
      files,
      whyUnreadable,
      redactLines: options.redactLines ?? ((text) => text),
      log,
      ledgers: options.ledgers ?? scanLedgers(log),
      custom: new Map(Object.entries(options.custom ?? {})),
      contextFiles: ["AGENTS.md"],
      reading: {
        fileBytes: 256 * 1024,
        registryBytes: 1024 * 1024,
        seenFiles: 20_000,
        searchedFiles: 500,
        ledgerCandidates: 400,
      },
    },
  });
  return {
    clock,
    files,
    recorder,
    assemble: (request = {}, signal = new AbortController().signal) =>
      service.assemble(
        {
          agent_id: "AGT-1",
          agent_class: "RESIDENT",
          framework_id: "FMWK-005",
          tier: "ho1",
          work_order_id: "WO-20261115-001",
          session_id: recorder.session_id,
          prompt: "Paint the bridge",
          mandate: mandateFor(),
          ...request,
        },
        { recorder, signal },
      ),
    trace() {
      const last = recorder.of("attention.assembled").at(-1);
      if (!last) throw new Error("nothing was assembled");
      return last;
    },
  };
}

type Readable = Pick<LogReader, "read" | "readLedger" | "list">;

/** Sessions in memory as a log: their events in order, no ledgers. */
export function logOf(sessions: readonly MemoryRecorder[]): Readable {
  return {
    async *read(session_id, read = {}) {
      for (const event of sessions.find((each) => each.session_id === session_id)?.events ?? [])
        if (event.seq > (read.after?.seq ?? 0)) yield ok(event);
    },
    async *readLedger() {},
    async *list() {
      for (const { session_id, events } of sessions) {
        const first = events[0];
        const last = events.at(-1);
        if (!first || !last) continue;
        const start = first.type === "session.start" ? first.payload : undefined;
        yield ok({
          session_id,
          tier: start?.tier ?? "ho1",
          started_at: first.ts,
          last_at: last.ts,
          events: last.seq,
          head_hash: last.hash,
          work_order_id: start?.work_order_id ?? null,
          parent_session_id: start?.parent_session_id ?? null,
          closed: last.type === "session.close",
          ok: true,
          status: "success",
        });
      }
    },
  };
}

/** A session that ran and ended: one order, one output. */
export async function endedSession(
  seed: number,
  said: {
    readonly output: string;
    readonly work_order_id?: string;
    readonly framework_id?: string;
    readonly tier?: "hot" | "ho2" | "ho1";
    readonly clock?: ManualClock;
  },
): Promise<MemoryRecorder> {
  const recorder = memoryRecorder({ seed, ...(said.clock ? { clock: said.clock } : {}) });
  const work_order_id = said.work_order_id ?? `WO-20261115-${seed + 100}`;
  await recorder.append({
    type: "session.start",
    actor: "flow",
    payload: { tier: said.tier ?? "ho1", work_order_id, framework_id: said.framework_id ?? "FMWK-005" },
  });
  await recorder.append({
    type: "wo.completed",
    actor: "flow",
    payload: {
      work_order_id,
      provenance: { agent_id: `AGT-${seed}` },
      outcome: { status: "success" },
      context_fingerprint: {},
      tokens_used: null,
      duration_ms: 1,
      output: said.output,
    },
  });
  await recorder.append({
    type: "session.close",
    actor: "flow",
    payload: { ok: true, status: "success", exec_head: "0".repeat(64), evidence_head: "0".repeat(64) },
  });
  return recorder;
}
