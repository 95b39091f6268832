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
    headers: bearer,
    // Address and key are always given: the package would otherwise take both from the environment of the process.
    async connect(model, { baseUrl, apiKey, headers }, fetch) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      // Chat completions keep nothing at the vendor; the responses API stores each exchange by default.
      return createOpenAI({ baseURL: baseUrl, apiKey: apiKey ?? "", headers: { ...headers }, fetch }).chat(model);
    },
  },
};
