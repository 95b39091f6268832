import { type DomainError, domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result } from "#core/values";
import type { WritConfig } from "#workspace";
import type { CompletionRequest, CompletionResponse } from "./completion.ts";
import type { Provider } from "./provider.ts";

/** What a provider of one's own answers. */
export interface ProviderAnswer {
  readonly text?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly args: JsonObject }[];
  /** `tool_use` where there are calls and `stop` where there are none, unless it says otherwise. */
  readonly finish_reason?: CompletionResponse["finish_reason"];
  /** What the call used. Without it the order is charged what was set aside for the call, and the record says that it is estimated. */
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number; readonly cost_usd?: number };
  readonly model?: string;
}

/** What a request is about, and where its pieces go. */
export interface ProviderCallAbout {
  readonly role: string;
  readonly skill: string | null;
  readonly session_id: string;
  /** Counts from 1 per role and session. */
  readonly call: number;
  readonly signal: AbortSignal;
  /** The next piece of the answer, for people who watch; the whole is what is returned. */
  readonly text: (piece: string) => void;
}

export interface ProviderDefinition {
  /** Its name, which is also that of the profile that uses it. */
  readonly id: string;
  /** Dollars for a million tokens. Without it a limit on money cannot be kept, and an order that states one is refused. */
  readonly price?: WritConfig["prices"][string];
  /** What it throws is the failure of the call: with a `status` of 429 or 5xx, or `retryable: true`, it is tried again. */
  complete(request: CompletionRequest, about: ProviderCallAbout): Promise<ProviderAnswer>;
}

/** A model behind code of the embedding program, for `openWorkspace`. */
export interface DefinedProvider {
  readonly id: string;
  readonly price: ProviderDefinition["price"] | undefined;
  readonly provider: Provider;
}

/** A model behind code of one's own. Budget, limits, hooks, retries and the record are those of every other provider. */
export function defineProvider({ id, price, complete }: ProviderDefinition): DefinedProvider {
  const provider: Provider = {
    id,
    async complete({ request, meta, signal, onText }) {
      const { role, skill, session_id, call } = meta;
      const about = { role, skill, session_id, call, signal, text: (piece: string) => onText?.(piece) };
      try {
        return ok(responseOf(await complete(request, about), request));
      } catch (thrown) {
        return err(failureOf(id, thrown));
      }
    },
  };
  return Object.freeze({ id, price, provider });
}

/** Usage that is not said stays unsaid: the budget then takes what was set aside, and says that it is estimated. */
function responseOf(answer: ProviderAnswer, request: CompletionRequest): CompletionResponse {
  const { text = "", tool_calls = [], usage, model = request.model } = answer;
  return {
    text,
    tool_calls: tool_calls.map(({ id, name, args }) => ({ id, name, args: { ...args } })),
    finish_reason: answer.finish_reason ?? (tool_calls.length > 0 ? "tool_use" : "stop"),
    usage: { ...usage } as CompletionResponse["usage"],
    model,
    schema_version: "v2",
  };
}

function failureOf(id: string, thrown: unknown): DomainError {
  const { status, retryable } = (typeof thrown === "object" && thrown !== null ? thrown : {}) as {
    readonly status?: unknown;
    readonly retryable?: unknown;
  };
  const isBusy = typeof status === "number" && (status === 429 || status >= 500);
  const message = thrown instanceof Error ? thrown.message : "failed without saying why";
  return domainError("PROVIDER_ERROR", `the provider ${id}: ${message}`, {
    retryable: typeof retryable === "boolean" ? retryable : isBusy,
    details: { provider: id, ...(typeof status === "number" ? { status } : {}) },
    cause: thrown,
  });
}

/** The provider that a profile of an embedding program names. */
export function programProvider(name: string | null, given: readonly DefinedProvider[]): Result<Provider> {
  const found = given.find(({ id }) => id === name);
  if (found) return ok(found.provider);
  return err(
    domainError(
      "CONFIG_INVALID",
      `the provider ${name ?? "without a name"} is code of a program, and this one does not hand it in`,
      {
        details: { hint: "only a program that passes it to openWorkspace({ providers }) can carry such an order out" },
      },
    ),
  );
}
