import { domainError } from "#core/errors";
import { err, isJsonObject, ok, type Result } from "#core/values";
import type { ModelFacts } from "./model-table.ts";

type Json = Record<string, unknown>;

/**
 * Facts of models in the forms in which they are published: Writ's own, LiteLLM's (a price per token) and that of models.dev (by
 * vendor, a price per million). Figures that are absent stay absent: a price that is not known is not 0.
 */
export function readModelFacts(document: unknown, today: string): Result<unknown> {
  if (!isJsonObject(document)) return err(domainError("MALFORMED_INPUT", "it is no JSON object"));
  if (document["schema_version"] === "v1" && isJsonObject(document["models"])) return ok(document);
  const read = Object.values(document).some((each) => isJsonObject(each) && isJsonObject(each["models"]))
    ? fromModelsDev(document)
    : fromLiteLlm(document);
  const models = Object.fromEntries(read);
  if (read.length === 0)
    return err(domainError("MALFORMED_INPUT", "none of its entries has a vendor and a window or a price"));
  return ok({ as_of: today, models, schema_version: "v1" });
}

type Entry = readonly [name: string, facts: ModelFacts];

function fromLiteLlm(document: Json): readonly Entry[] {
  return Object.entries(document).flatMap(([name, entry]): readonly Entry[] => {
    if (!isJsonObject(entry) || typeof entry["litellm_provider"] !== "string") return [];
    if (entry["mode"] !== undefined && entry["mode"] !== "chat" && entry["mode"] !== "responses") return [];
    const perMillion = (key: string) => scaled(entry[key], 1_000_000);
    const vendor = vendorOf(entry["litellm_provider"]);
    return [
      [
        name.startsWith(`${entry["litellm_provider"]}/`) && vendor !== "groq"
          ? name.slice(name.indexOf("/") + 1)
          : name,
        defined({
          vendor,
          window: whole(entry["max_input_tokens"] ?? entry["max_tokens"]),
          max_output: whole(entry["max_output_tokens"]),
          price: priceOf(
            perMillion("input_cost_per_token"),
            perMillion("output_cost_per_token"),
            perMillion("cache_read_input_token_cost"),
            perMillion("cache_creation_input_token_cost"),
          ),
          native: yes(entry["supports_response_schema"]),
          tools: yes(entry["supports_function_calling"]),
          reasoning: yes(entry["supports_reasoning"]),
          images: yes(entry["supports_vision"]),
        }),
      ],
    ];
  });
}

function fromModelsDev(document: Json): readonly Entry[] {
  return Object.entries(document).flatMap(([vendor, group]) => {
    const models = isJsonObject(group) && isJsonObject(group["models"]) ? group["models"] : {};
    return Object.entries(models).flatMap(([name, entry]): readonly Entry[] => {
      if (!isJsonObject(entry)) return [];
      const limit = isJsonObject(entry["limit"]) ? entry["limit"] : {};
      const cost = isJsonObject(entry["cost"]) ? entry["cost"] : {};
      const modalities = isJsonObject(entry["modalities"]) ? entry["modalities"]["input"] : undefined;
      const own = ["anthropic", "openai", "google", "mistral", "deepseek", "xai", "cohere"].includes(vendor);
      return [
        [
          own ? name : `${vendor}/${name}`,
          defined({
            vendor,
            window: whole(limit["context"]),
            max_output: whole(limit["output"]),
            price: priceOf(
              scaled(cost["input"], 1),
              scaled(cost["output"], 1),
              scaled(cost["cache_read"], 1),
              scaled(cost["cache_write"], 1),
            ),
            tools: yes(entry["tool_call"]),
            reasoning: yes(entry["reasoning"]),
            images: Array.isArray(modalities) ? modalities.includes("image") : undefined,
          }),
        ],
      ];
    });
  });
}

function vendorOf(provider: string): string {
  if (provider === "gemini") return "google";
  return provider === "cohere_chat" ? "cohere" : provider;
}

function priceOf(input?: number, output?: number, cached?: number, written?: number): ModelFacts["price"] | undefined {
  if (input === undefined || output === undefined) return undefined;
  return defined({
    input_per_million: input,
    output_per_million: output,
    cached_input_per_million: cached,
    cache_write_per_million: written,
  });
}

/** Prices per token are fractions of a millionth: what is left of their binary form is rounded away. */
function scaled(value: unknown, by: number): number | undefined {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) return undefined;
  return Number((value * by).toPrecision(10));
}

function whole(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function yes(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Defined<T>;
}
