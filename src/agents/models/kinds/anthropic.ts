import { vendorKeyVariables } from "#workspace";
import type { ProviderKindSpec } from "../provider-kind.ts";

export const anthropic: ProviderKindSpec<"anthropic"> = {
  id: "anthropic",
  defaultModel: null,
  vendor: {
    id: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keyVariable: vendorKeyVariables.anthropic,
    keyPrefix: "sk-ant-",
    apis: ["own"],
    dialects: ["anthropic.messages"],
    answerModes: ["native", "tool", "prompted"],
    shapeBody: null,
    headers: ({ apiKey, headers }) => ({
      ...headers,
      "anthropic-version": "2023-06-01",
      ...(apiKey ? { "x-api-key": apiKey } : {}),
    }),
    // Address and key are always given: the package would otherwise take both from the environment of the process.
    async connect(model, { baseUrl, apiKey, headers }, fetch) {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? "", headers: { ...headers }, fetch })(model);
    },
  },
};
