import type { LanguageModelV3 } from "@ai-sdk/provider";

export type VendorId = "anthropic" | "openai" | "google" | "openai-compatible";

/** How a server is reached. The key never leaves this object but in the header of a request. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Vendor {
  readonly id: VendorId;
  /** The vendor's own address; null where there is none. */
  readonly baseUrl: string | null;
  /** The environment variable that people keep its key in. */
  readonly keyVariable: string | null;
  /** The headers that show the key: `GET /models/NAME` and `GET /models` are questions that cost nothing. */
  headers(connection: Connection): Record<string, string>;
  /** A package costs 100 to 220 ms to load, so it is loaded with the first call. */
  connect(model: string, connection: Connection, fetch: typeof globalThis.fetch): Promise<LanguageModelV3>;
}

// Address and key are always given: the packages would otherwise take both from the environment of the process.
export const vendors: Readonly<Record<VendorId, Vendor>> = {
  anthropic: {
    id: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keyVariable: "ANTHROPIC_API_KEY",
    headers: ({ apiKey, headers }) => ({
      ...headers,
      "anthropic-version": "2023-06-01",
      ...(apiKey ? { "x-api-key": apiKey } : {}),
    }),
    async connect(model, { baseUrl, apiKey, headers }, fetch) {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? "", headers: { ...headers }, fetch })(model);
    },
  },
  openai: {
    id: "openai",
    baseUrl: "https://api.openai.com/v1",
    keyVariable: "OPENAI_API_KEY",
    headers: bearer,
    async connect(model, { baseUrl, apiKey, headers }, fetch) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      // Chat completions keep nothing at the vendor; the responses API stores each exchange unless told otherwise.
      return createOpenAI({ baseURL: baseUrl, apiKey: apiKey ?? "", headers: { ...headers }, fetch }).chat(model);
    },
  },
  google: {
    id: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
    headers: ({ apiKey, headers }) => ({ ...headers, ...(apiKey ? { "x-goog-api-key": apiKey } : {}) }),
    async connect(model, { baseUrl, apiKey, headers }, fetch) {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI({ baseURL: baseUrl, apiKey: apiKey ?? "", headers: { ...headers }, fetch })(
        model,
      );
    },
  },
  "openai-compatible": {
    id: "openai-compatible",
    baseUrl: null,
    keyVariable: null,
    headers: bearer,
    async connect(model, { baseUrl, apiKey, headers }, fetch) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({
        name: "openai-compatible",
        baseURL: baseUrl,
        headers: { ...headers },
        ...(apiKey === undefined ? {} : { apiKey }),
        includeUsage: true,
        fetch,
      })(model);
    },
  },
};

function bearer({ apiKey, headers }: Connection): Record<string, string> {
  return { ...headers, ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) };
}
