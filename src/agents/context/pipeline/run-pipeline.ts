import type { EventPayloads } from "#core/contracts";
import { type DomainError } from "#core/errors";
import { type Clock, type Result, sha256 } from "#core/values";
import type { FilesRead } from "#governance/mandate";
import type { Tier } from "#log";
import type { AttentionRequest } from "../attention-service.ts";
import type { Found, Fragment } from "../fragment.ts";
import { blockTokens, frameTokens } from "../prompt/prompt-builder.ts";
import type { PlannedStage } from "../templates/merge-contract.ts";
import type { Meter } from "./meter.ts";
import { isPure, runStage } from "./run-stage.ts";
import type { AttentionSources, StageOutcome } from "./stage.ts";

export type StageTrace = EventPayloads["attention.assembled"]["stages"][number];

export interface PipelineDeps {
  readonly request: AttentionRequest;
  readonly folder: string;
  readonly sources: AttentionSources;
  readonly meter: Meter;
  readonly files: FilesRead;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}

/** Outcome of a pipeline, with a trace of every stage also when it failed. */
export interface PipelineRun {
  readonly fragments: readonly Fragment[];
  readonly stages: readonly StageTrace[];
  readonly warnings: readonly string[];
  readonly halted: boolean;
  /** The first limit that was reached. */
  readonly limit: DomainError | undefined;
  /** A stage failed, and its template does not say to go on without it. */
  readonly error: DomainError | undefined;
}

/** Runs the stages in order. After a limit is reached no source is queried, but stages that arrange the fragments still run. */
export async function runPipeline(plan: readonly PlannedStage[], deps: PipelineDeps): Promise<PipelineRun> {
  const run = new Running(deps);
  for (const planned of plan) {
    if (run.error || run.halted) break;
    await run.step(planned);
  }
  const { fragments, stages, warnings, halted, limit, error } = run;
  return { fragments, stages, warnings, halted, limit, error };
}

class Running {
  fragments: readonly Fragment[] = [];
  tiers: readonly Tier[];
  readonly stages: StageTrace[] = [];
  readonly warnings: string[] = [];
  halted = false;
  limit: DomainError | undefined;
  error: DomainError | undefined;
  readonly #deps: PipelineDeps;

  constructor(deps: PipelineDeps) {
    this.#deps = deps;
    this.tiers = [deps.request.tier];
  }

  async step(planned: PlannedStage): Promise<void> {
    const { clock, meter, request, folder, sources, files } = this.#deps;
    const { stage } = planned;
    const late = isPure(stage) ? undefined : meter.late();
    if (late?.code === "CANCELED") {
      this.error = late;
      return;
    }
    this.limit ??= late;
    if (this.limit && !isPure(stage)) {
      this.#trace(planned, { status: "limited", found: 0, kept: this.fragments.length, dropped: {}, duration_ms: 0 });
      return;
    }
    const started = clock.monotonic();
    const { fragments, tiers } = this;
    const tokens = tokensOf(fragments);
    const outcome = await runStage(stage, { request, folder, sources, meter, files, tiers, fragments, tokens });
    this.#take(planned, outcome, clock.monotonic() - started);
  }

  #take(planned: PlannedStage, outcome: Result<StageOutcome>, duration_ms: number): void {
    if (!outcome.ok) {
      const skips = planned.stage.on_error === "skip" && outcome.error.code !== "CANCELED";
      const note = `${outcome.error.code}: ${outcome.error.message}`;
      if (skips) this.warnings.push(`${nameOf(planned)} was skipped: ${note}`);
      else this.error = outcome.error;
      const status = skips ? "skipped" : "failed";
      this.#trace(planned, { status, note, found: 0, kept: this.fragments.length, dropped: {}, duration_ms });
      return;
    }
    const { value } = outcome;
    this.warnings.push(...(value.warnings ?? []));
    let status: StageTrace["status"] = "done";
    switch (value.does) {
      case "add":
        this.fragments = [...this.fragments, ...value.fragments.flatMap((found) => this.#keep(found, planned))];
        if (value.limit?.code === "CANCELED") this.error = value.limit;
        else if (value.limit) {
          this.limit ??= value.limit;
          status = "limited";
        }
        break;
      case "arrange":
        this.fragments = value.fragments;
        break;
      case "look":
        this.tiers = value.tiers;
        break;
      case "halt":
        // Stages that the contract requires have run before; only the template's own stages are cut short.
        this.halted = planned.from === "template";
        status = "halted";
        break;
      case "go on":
        break;
    }
    this.#trace(planned, {
      status,
      found: value.found,
      kept: value.does === "add" ? value.fragments.length : this.fragments.length,
      dropped: { ...value.dropped },
      duration_ms,
      ...(value.asked ? { asked: value.asked } : {}),
      ...(value.note === undefined ? {} : { note: value.note }),
    });
  }

  /** Redacted before it is hashed: the hash in the log is that of the text in the prompt. */
  #keep(found: Found, planned: PlannedStage): Fragment[] {
    const text = this.#deps.redact(found.text);
    if (text.trim() === "") return [];
    const trust = this.#isRule(found) ? "workspace" : found.trust;
    return [
      { ...found, trust, text, hash: sha256(text), stage: nameOf(planned), required: planned.from === "contract" },
    ];
  }

  /** Whether a fragment is a whole rule file in the version that the person agreed to. A passage that a search found in one is data. */
  #isRule({ origin, source_hash }: Found): boolean {
    const path = origin.startsWith("file:") ? origin.slice("file:".length) : undefined;
    return path !== undefined && source_hash !== undefined && this.#deps.request.rules?.get(path) === source_hash;
  }

  #trace({ stage, from }: PlannedStage, rest: Omit<StageTrace, "type" | "from" | "name">): void {
    this.stages.push({
      type: stage.type,
      from,
      ...(stage.name === undefined ? {} : { name: stage.name }),
      ...rest,
      duration_ms: Math.round(rest.duration_ms * 1000) / 1000,
    });
  }
}

function nameOf({ stage }: PlannedStage): string {
  return stage.name ?? stage.type;
}

/** Tokens of the fragments as they are rendered. */
export function tokensOf(fragments: readonly Fragment[]): number {
  if (fragments.length === 0) return 0;
  return fragments.reduce((sum, fragment) => sum + blockTokens(fragment), frameTokens);
}
