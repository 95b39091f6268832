import type { LanguageModelV3 } from "@ai-sdk/provider";
import { type Clock, err, ok } from "#core/values";
import type { CompletionRequest, CompletionResponse } from "../../completion.ts";
import type { KnownRefusals, RefusedForms } from "../../facts/known-refusals.ts";
import type { ModelFacts } from "../../facts/model-table.ts";
import { answerOfCall, answerTool, closeSchema, modesFor } from "../../form/output-mode.ts";
import type { Provider, ProviderCall } from "../../provider.ts";
import type { Connection, Vendor, WireApi } from "../../provider-kind.ts";
import type { OpaquePart } from "./answer.ts";
import { toResponse } from "./answer.ts";
import { failedGeneration } from "./failed-generation.ts";
import { mendedBody } from "./mend-body.ts";
import { readRefusal } from "./read-refusal.ts";
import { readDocument, readStream } from "./read-response.ts";
import { type SharedModels, sharedModels } from "./shared-models.ts";
import { type MessageParts, namesIn, toCallOptions } from "./to-call-options.ts";
import { vendorError } from "./vendor-error.ts";
import { openWire, type Wire } from "./wire.ts";

export interface VendorProviderOptions {
  readonly vendor: Vendor;
  readonly connection: Connection;
  readonly clock: Clock;
  /** How long an answer that has begun may be silent. */
  readonly idleMs: number;
  readonly redact: (text: string) => string;
  /** What this profile's server has refused before; a new refusal is added to it. */
  readonly refusals: KnownRefusals;
  /** What is known of a model. */
  readonly facts: (model: string) => ModelFacts | undefined;
}

/** What one answer may weigh; the longest answers of today stay below 2 MiB. */
const maxAnswerBytes = 32 * 1024 * 1024;

/** A vendor's model behind our shape: one call, one request. Never the package's own tool loop, which would bypass dispatch. */
export function vendorProvider(options: VendorProviderOptions): Provider {
  const { vendor, connection } = options;
  const models = sharedModels(vendor, connection);
  return { id: vendor.id, complete: (call) => complete(options, models, call) };
}

async function complete(
  options: VendorProviderOptions,
  models: SharedModels,
  call: ProviderCall,
): ReturnType<Provider["complete"]> {
  const { vendor, connection, clock, idleMs } = options;
  const { signal } = call;
  const refused = options.refusals.of(call.request.model);
  const api = vendor.apis.find((each) => !refused.refusedApis.includes(each)) ?? vendor.apis[0];
  const facts = options.facts(call.request.model);
  const request = withoutRefused(call.request, vendor, { refused, facts });
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  const mend = mendedBody(vendor.id, api);
  const wire = openWire(clock, { idleMs, maxBytes: maxAnswerBytes }, controller, {
    outgoing: (body) => shaped(body, vendor, request),
    incoming: mend,
  });
  const names = namesIn(request);
  const at = { provider: vendor.id, model: request.model };
  try {
    const model = await models.forExchange({ model: request.model, api }, controller.signal, wire);
    const speech = {
      vendor: vendor.id,
      api,
      forcesTools: facts?.forced_tool !== false && !refused.without.includes("forced_tool"),
    };
    const asked = toCallOptions(request, names, { abortSignal: controller.signal, speech, parts: partsFor(call, at) });
    const answer = await ask(model, asked, { call, wire, api });
    const response = toResponse(answer, { ...at, names });
    return response.ok ? ok(asText(response.value, request)) : response;
  } catch (thrown) {
    const error = vendorError(thrown, {
      ...at,
      baseUrl: connection.baseUrl,
      wire,
      idleMs,
      canceled: signal.aborted,
      nowMs: clock.now(),
      redact: options.redact,
    });
    const rescued = failedGeneration(thrown, request, names);
    if (rescued) return ok(rescued);
    return err(learnFrom(options, error, { request, api, isOfOtherApi: mend.isOfOtherApi }, call));
  } finally {
    signal.removeEventListener("abort", abort);
    wire.close();
    controller.abort(); // whatever is left of the exchange
  }
}

/** The request without what the server is known to refuse, and with the mode that is left for the form of the answer. */
function withoutRefused(
  request: CompletionRequest,
  vendor: Vendor,
  { refused, facts }: { readonly refused: RefusedForms; readonly facts: ModelFacts | undefined },
): CompletionRequest {
  const { temperature, reasoning, cache_key, answer, ...rest } = request;
  const drops = (name: RefusedForms["without"][number]) => refused.without.includes(name);
  const isClosed = answer !== undefined && closeSchema(answer.schema) !== undefined;
  const modes = modesFor(
    vendor.answerModes.filter((mode) => !refused.refusedModes.includes(mode)),
    {
      // Anthropic takes closed schemas alone.
      native: (facts?.native ?? vendor.id !== "anthropic") && (isClosed || vendor.id !== "anthropic"),
      nativeBesideTools: facts?.native_beside_tools ?? vendor.id !== "google",
      tools: facts?.tools ?? true,
    },
    (request.tools ?? []).length > 0,
  );
  return {
    ...rest,
    ...(temperature === undefined || drops("temperature") ? {} : { temperature }),
    ...(reasoning === undefined || drops("reasoning") ? {} : { reasoning }),
    ...(cache_key === undefined || drops("cache_key") ? {} : { cache_key }),
    ...(answer === undefined ? {} : { answer: { ...answer, mode: answer.mode ?? modes[0] ?? "prompted" } }),
  };
}

function shaped(body: string, vendor: Vendor, request: CompletionRequest): string {
  if (vendor.shapeBody === null) return body;
  const parsed = JSON.parse(body) as Record<string, unknown>; // the package wrote it
  vendor.shapeBody(parsed, request);
  return JSON.stringify(parsed);
}

/** Only the provider and the model that gave an opaque part get it back: to another it means nothing, or is refused. */
function partsFor(call: ProviderCall, at: { readonly provider: string; readonly model: string }): MessageParts {
  return {
    opaque(message) {
      const found = message.opaque === undefined ? undefined : call.opaque?.(message.opaque);
      return found?.provider === at.provider && found.model === at.model
        ? (found.parts as unknown as readonly OpaquePart[])
        : undefined;
    },
    file: (sha256) => call.attachment?.(sha256),
  };
}

/** A call of the runtime's own tool `answer` is the answer; it is no call, and dispatch never sees it. */
function asText(response: CompletionResponse, { answer }: CompletionRequest): CompletionResponse {
  if (!answer) return response;
  const answer_mode = answer.mode ?? "prompted";
  if (answer_mode !== "tool") return { ...response, answer_mode };
  const valid = response.tool_calls.filter(({ invalid }) => !invalid);
  let text = valid.length === response.tool_calls.length ? answerOfCall(valid) : undefined;
  if (text === undefined) {
    // Beside other calls it came too early: they are made first, and the model is asked again.
    const tool_calls = response.tool_calls.filter(({ name }) => name !== answerTool);
    if (tool_calls.length > 0 || response.tool_calls.length === 0) return { ...response, tool_calls, answer_mode };
    const [first] = response.tool_calls;
    text = first?.invalid?.input ?? JSON.stringify(first?.args ?? {}); // the reader of answers has the last word
  }
  const { opaque: _, ...rest } = response; // its signatures belong to a call that the conversation does not have
  const finish_reason = response.finish_reason === "tool_use" ? "stop" : response.finish_reason;
  return { ...rest, text, tool_calls: [], finish_reason, answer_mode };
}

/** How an exchange asked, and whether the server answered in the form of another interface. */
interface Asked {
  readonly request: CompletionRequest;
  readonly api: WireApi;
  readonly isOfOtherApi: boolean;
}

/** A refusal that names a parameter is remembered, and the same request goes out again without it, at once. */
function learnFrom(
  { refusals }: VendorProviderOptions,
  error: ReturnType<typeof vendorError>,
  { request, api, isOfOtherApi }: Asked,
  call: ProviderCall,
): ReturnType<typeof vendorError> {
  const status = isOfOtherApi ? 200 : error.details["status"];
  if (typeof status !== "number") return error;
  const before = refusals.of(request.model);
  const said = typeof error.details["said"] === "string" ? error.details["said"] : error.message;
  const otherApis: readonly WireApi[] = api === "responses" ? ["chat"] : [];
  const refusal = readRefusal({ status, said, request, api, otherApis, isOfOtherApi });
  if (!refusal) return error;
  refusals.learn(refusal);
  if (refusals.of(request.model) === before) return error; // known already: nothing more can be left out
  call.onLearned?.(refusal);
  return { ...error, retryable: true, details: { ...error.details, stepped_down: true } };
}

/** Streams when a caller takes the text as it comes; otherwise one document, which every server can do. */
async function ask(
  model: LanguageModelV3,
  asked: Parameters<LanguageModelV3["doGenerate"]>[0],
  { call, wire, api }: { readonly call: ProviderCall; readonly wire: Wire; readonly api: WireApi },
) {
  const { onText, onReasoning } = call;
  if (!onText) return readDocument(await model.doGenerate(asked));
  const { stream } = await model.doStream(asked);
  return readStream(stream, { onText, onReasoning }, () => wire.hasEnded(api));
}
