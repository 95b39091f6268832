import type { LanguageModelV3 } from "@ai-sdk/provider";
import { type Clock, err } from "#core/values";
import type { Provider, ProviderCall } from "../../provider.ts";
import type { Connection, Vendor } from "../../provider-kind.ts";
import { toResponse } from "./answer.ts";
import { readDocument, readStream } from "./read-answer.ts";
import { type SharedModels, sharedModels } from "./shared-models.ts";
import { namesIn, toCallOptions } from "./to-call-options.ts";
import { vendorError } from "./vendor-error.ts";
import { openWire } from "./wire.ts";

export interface VendorProviderOptions {
  readonly vendor: Vendor;
  readonly connection: Connection;
  readonly clock: Clock;
  /** How long an answer that has begun may be silent. */
  readonly idleMs: number;
  readonly redact: (text: string) => string;
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
  const { request, signal } = call;
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  const wire = openWire(clock, { idleMs, maxBytes: maxAnswerBytes }, controller);
  const names = namesIn(request);
  try {
    const model = await models.forExchange(request.model, controller.signal, wire);
    const answer = await ask(model, toCallOptions(request, names, controller.signal), call);
    return toResponse(answer, { provider: vendor.id, model: request.model, names });
  } catch (thrown) {
    return err(
      vendorError(thrown, {
        provider: vendor.id,
        model: request.model,
        baseUrl: connection.baseUrl,
        wire,
        idleMs,
        canceled: signal.aborted,
        nowMs: clock.now(),
        redact: options.redact,
      }),
    );
  } finally {
    signal.removeEventListener("abort", abort);
    wire.close();
    controller.abort(); // whatever is left of the exchange
  }
}

/** Streams when a caller takes the text as it comes; otherwise one document, which every server can do. */
async function ask(
  model: LanguageModelV3,
  asked: Parameters<LanguageModelV3["doGenerate"]>[0],
  { onText, onReasoning }: Pick<ProviderCall, "onText" | "onReasoning">,
) {
  if (!onText) return readDocument(await model.doGenerate(asked));
  const { stream } = await model.doStream(asked);
  return readStream(stream, { onText, ...(onReasoning ? { onReasoning } : {}) });
}
