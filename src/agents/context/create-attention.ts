import { type DomainError, domainError } from "#core/errors";
import { type Clock, err, ok, type Result, sha256, zeroHash } from "#core/values";
import { FilesRead } from "#governance/mandate";
import type {
  Aperture,
  AssembledContext,
  AssembleOptions,
  AttentionRequest,
  AttentionService,
} from "./attention-service.ts";
import { ContextCache, cacheKey } from "./context-cache.ts";
import { fillStage } from "./fill-stage.ts";
import { contextHash, type Fragment } from "./fragment.ts";
import { type Limits, Meter } from "./pipeline/meter.ts";
import { type PipelineRun, runPipeline } from "./pipeline/run-pipeline.ts";
import type { AttentionSources } from "./pipeline/stage.ts";
import { buildPrompt } from "./prompt/prompt-builder.ts";
import { type Assembly, recordAssembly } from "./record-assembly.ts";
import { type Settled, settle } from "./settle.ts";
import { unknownHandler } from "./stages/custom.ts";
import type { AttentionFramework, LoadedTemplate, LoadTemplates } from "./templates/load-templates.ts";
import { matchTemplate } from "./templates/match-template.ts";
import { mergeContract, type PlannedStage, type ReadingPlan } from "./templates/merge-contract.ts";
import { estimateTokens } from "./tokens.ts";

export interface AttentionOptions {
  readonly resolveFramework: (framework_id: string) => Promise<Result<AttentionFramework>>;
  readonly loadTemplates: LoadTemplates;
  readonly sources: AttentionSources;
  readonly clock: Clock;
  /** Redacts secrets in a text before it is hashed. */
  readonly redact: (text: string) => string;
  /** For templates that set no limits of their own. */
  readonly defaultLimits: Limits;
}

/** Used when the framework has no template for the agent: the agent reads only what its contract requires. */
const noTemplate: Pick<LoadedTemplate, "hash" | "pipeline" | "on_empty"> & { readonly template_id: null } = {
  template_id: null,
  hash: zeroHash,
  pipeline: [],
  on_empty: "proceed",
};

type Template = LoadedTemplate | typeof noTemplate;

export function createAttention(options: AttentionOptions): AttentionService {
  const cache = new ContextCache();

  const assemble = async (request: AttentionRequest, call: AssembleOptions): Promise<Result<AssembledContext>> => {
    const framework = await options.resolveFramework(request.framework_id);
    if (!framework.ok) return framework;
    const templates = await options.loadTemplates(framework.value);
    if (!templates.ok) return templates;
    const matched = matchTemplate(templates.value, {
      framework_id: request.framework_id,
      agent_class: request.agent_class,
      tier: request.tier,
      aperture: request.aperture ?? "closed",
      ...(request.template_id === undefined ? {} : { template_id: request.template_id }),
    });
    if (!matched.ok) return matched;
    const unfilled = laterUnfilled(templates.value, request);
    if (unfilled) return unfilled;
    const first: Template = matched.value ?? noTemplate;
    const tried = await read(first, framework.value.folder, request, call);
    if (tried.ok || tried.error.code !== "ATTENTION_EMPTY" || !usesFallback(first)) return tried;
    const fallback = templates.value.find(({ template_id }) => template_id === first.fallback?.template_id);
    if (!fallback)
      return err(
        domainError(
          "CONFIG_INVALID",
          `${first.template_id} falls back to ${first.fallback?.template_id ?? "nothing"}, which its framework does not name`,
        ),
      );
    // One step only: a fallback that is empty too is a failure, unless it says `proceed`.
    return read(fallback, framework.value.folder, request, call);
  };

  const sourcesOf = ({ files }: AttentionRequest) =>
    files === undefined ? options.sources : { ...options.sources, files };

  const read = async (
    template: Template,
    folder: string,
    request: AttentionRequest,
    call: AssembleOptions,
  ): Promise<Result<AssembledContext>> => {
    const written = mergeContract(template, request.contract?.required_context, {
      defaults: options.defaultLimits,
      max_tokens: request.max_tokens,
    });
    const filled = fillPlan(written, request, template.template_id);
    const plan = filled.ok ? filled.value : written;
    const files = new FilesRead();
    const meter = new Meter(plan.limits, options.clock, call.signal);
    const refused = filled.ok ? unregistered(plan, options.sources) : filled.error;
    const run: PipelineRun = refused
      ? { fragments: [], stages: [], warnings: [], halted: false, limit: undefined, error: refused }
      : await runPipeline(plan.stages, { ...options, sources: sourcesOf(request), request, folder, meter, files });
    meter.stop();
    const key = cacheKey(request);
    const settled = withHookNotes(settle(template, plan, run, cache.get(key)), request, options);
    const assembly: Assembly = { template, request, plan, run, meter, files, settled };
    const recorded = recordAssembly(call.recorder, assembly);
    if (!recorded.ok) return recorded;
    if (!settled.result.ok) return settled.result;
    const context = settled.result.value;
    if (!call.isPreview && (context.outcome === "complete" || context.outcome === "halted"))
      cache.put(key, { context, session_id: request.session_id });
    return ok(context);
  };

  return { assemble };
}

/** Texts of hooks stand before what was read. They are no findings, so no limit and no demand of a template is about them. */
function withHookNotes(
  settled: Settled,
  { hookNotes = [] }: AttentionRequest,
  { redact }: Pick<AttentionOptions, "redact">,
): Settled {
  if (hookNotes.length === 0 || !settled.result.ok) return settled;
  const said = hookNotes.map(({ handler, text: raw }): Fragment => {
    const text = redact(raw);
    return { origin: `hook:${handler}`, trust: "untrusted", text, hash: sha256(text), stage: "hooks", required: true };
  });
  const { value } = settled.result;
  const fragments = [...said, ...value.fragments];
  const text = buildPrompt(fragments);
  const context_hash = contextHash(fragments);
  return { ...settled, result: ok({ ...value, fragments, text, context_hash, tokens: estimateTokens(text) }) };
}

/** The plan with the order's parameters in it. */
function fillPlan(plan: ReadingPlan, request: AttentionRequest, template_id: string | null): Result<ReadingPlan> {
  const stages: PlannedStage[] = [];
  for (const { stage, from } of plan.stages) {
    const where = (from === "contract" ? request.contract?.contract_id : template_id) ?? from;
    const filled = fillStage(stage, request.parameters ?? {}, `${where} (${stage.name ?? stage.type})`);
    if (!filled.ok) return filled;
    stages.push({ stage: filled.value, from });
  }
  return ok({ ...plan, stages });
}

const apertures: readonly Aperture[] = ["open", "closing", "closed"];

/** A parameter that only a later, narrower template asks for is missed now, before the first prompt is paid for. */
function laterUnfilled(templates: readonly LoadedTemplate[], request: AttentionRequest): Result<never> | undefined {
  for (const aperture of apertures.slice(apertures.indexOf(request.aperture ?? "closed") + 1)) {
    const { template_id, ...agent } = request;
    const matched = matchTemplate(templates, {
      ...agent,
      aperture,
      ...(template_id === undefined ? {} : { template_id }),
    });
    for (const stage of (matched.ok && matched.value?.pipeline) || []) {
      const where = `${matched.ok ? matched.value?.template_id : ""} (${stage.name ?? stage.type})`;
      const filled = fillStage(stage, request.parameters ?? {}, where);
      if (!filled.ok) return filled;
    }
  }
  return undefined;
}

function usesFallback(template: Template): template is LoadedTemplate {
  return template.on_empty === "use_fallback";
}

/** Checked before anything is read: an unregistered handler name fails closed, whatever `on_error` says. */
function unregistered({ stages }: ReadingPlan, { custom }: AttentionSources): DomainError | undefined {
  for (const { stage } of stages)
    if (stage.type === "custom" && !custom.has(stage.handler)) return unknownHandler(stage.handler, custom);
  return undefined;
}
