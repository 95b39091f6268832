import type { EventPayloads } from "#core/contracts";
import type { Result } from "#core/values";
import type { FilesRead } from "#governance/mandate";
import type { Event, Recorder } from "#log";
import type { AttentionRequest } from "./attention-service.ts";
import { contextHash, type Fragment } from "./fragment.ts";
import type { Meter } from "./pipeline/meter.ts";
import type { PipelineRun } from "./pipeline/run-pipeline.ts";
import { blockTokens } from "./prompt/prompt-builder.ts";
import type { Settled } from "./settle.ts";
import type { ReadingPlan } from "./templates/merge-contract.ts";

export interface Assembly {
  readonly template: { readonly template_id: string | null; readonly hash: string; readonly version?: string };
  readonly request: AttentionRequest;
  readonly plan: ReadingPlan;
  readonly run: PipelineRun;
  readonly meter: Meter;
  readonly files: FilesRead;
  readonly settled: Settled;
}

/** What was read, and what was not, whichever way it ended. Staged: the prompt that it leads to makes it durable. */
export function recordAssembly(recorder: Recorder, assembly: Assembly): Result<Event<"attention.assembled">> {
  return recorder.stage({ type: "attention.assembled", actor: "attention", payload: payloadOf(assembly) });
}

function payloadOf(assembly: Assembly): EventPayloads["attention.assembled"] {
  const { template, request, plan, run, meter, files, settled } = assembly;
  const context = settled.result.ok ? settled.result.value : undefined;
  const fragments = context?.fragments ?? run.fragments;
  return {
    agent_id: request.agent_id,
    work_order_id: request.work_order_id,
    template_id: template.template_id,
    ...(template.template_id === null ? {} : { template_hash: template.hash }),
    ...(template.version === undefined ? {} : { template_version: template.version }),
    ...(request.contract ? { contract_id: request.contract.contract_id } : {}),
    aperture: request.aperture ?? "closed",
    outcome: context?.outcome ?? "failed",
    ...(settled.result.ok ? {} : { error: { code: settled.result.error.code, message: settled.result.error.message } }),
    context_hash: context?.context_hash ?? contextHash(fragments),
    tokens: context?.tokens ?? 0,
    limits: { ...plan.limits },
    queries: meter.queries,
    duration_ms: Math.round(meter.elapsedMs * 1000) / 1000,
    stages: [...run.stages],
    fragments: fragments.map(traced),
    ...files.evidence(),
    ...(settled.cachedFrom === undefined ? {} : { cached_from: settled.cachedFrom }),
    warnings: [...(context?.warnings ?? run.warnings)],
  };
}

/** Everything about a fragment but its text. */
function traced(fragment: Fragment): EventPayloads["attention.assembled"]["fragments"][number] {
  const { origin, trust, hash, source_hash, ts, score, stage } = fragment;
  return {
    origin,
    trust,
    hash,
    tokens: blockTokens(fragment),
    stage,
    ...(source_hash === undefined ? {} : { source_hash }),
    ...(ts === undefined ? {} : { ts }),
    ...(score === undefined ? {} : { score }),
  };
}
