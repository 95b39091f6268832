import { vendorKeyVariables } from "#workspace";
import { bearer, type ProviderKindSpec } from "../provider-kind.ts";

/** Any server that speaks OpenAI's wire format: it has no address of its own, and its keys have no shape. */
export const openaiCompatible: ProviderKindSpec<"openai-compatible"> = {
  id: "openai-compatible",
  defaultModel: null,
  vendor: {
    id: "openai-compatible",
    baseUrl: null,
    keyVariable: vendorKeyVariables["openai-compatible"],
    keyPrefix: null,
    apis: ["chat"],
    dialects: ["openai.chat"],
    answerModes: ["native", "object", "tool", "prompted"],
    shapeBody: null,
    headers: bearer,
    async connect(model, { baseUrl, apiKey, headers }, fetch) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({
        name: "openai-compatible",
        baseURL: baseUrl,
        headers: { ...headers },
        ...(apiKey === undefined ? {} : { apiKey }),
        includeUsage: true,
        supportsStructuredOutputs: true,
        fetch,
      })(model);
    },
  },
};
