import { vendorKeyVariables } from "#workspace";
import { bearer, type ProviderKindSpec } from "../provider-kind.ts";

export const openai: ProviderKindSpec<"openai"> = {
  id: "openai",
  defaultModel: null,
  vendor: {
    id: "openai",
    baseUrl: "https://api.openai.com/v1",
    keyVariable: vendorKeyVariables.openai,
    keyPrefix: "sk-",
    apis: ["responses", "chat"],
    dialects: ["openai.chat"],
    answerModes: ["native", "tool", "prompted"],
    shapeBody: null,
    headers: bearer,
    // Address and key are always given: the package would otherwise take both from the environment of the process.
    async connect(model, { baseUrl, apiKey, headers }, fetch, api) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const vendor = createOpenAI({ baseURL: baseUrl, apiKey: apiKey ?? "", headers: { ...headers }, fetch });
      return api === "chat" ? vendor.chat(model) : vendor.responses(model);
    },
  },
};
