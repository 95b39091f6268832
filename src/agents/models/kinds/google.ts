import { isJsonObject } from "#core/values";
import { vendorKeyVariables } from "#workspace";
import type { ProviderKindSpec } from "../provider-kind.ts";

export const google: ProviderKindSpec<"google"> = {
  id: "google",
  defaultModel: null,
  vendor: {
    id: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyVariable: vendorKeyVariables.google,
    keyPrefix: "AIza",
    apis: ["own"],
    dialects: [],
    answerModes: ["native", "tool", "prompted"],
    // The package translates a schema into a dialect that knows neither references nor closed objects.
    shapeBody(body, { answer }) {
      const config = body["generationConfig"];
      if (answer?.mode !== "native" || !isJsonObject(config) || config["responseMimeType"] === undefined) return;
      delete config["responseSchema"];
      config["responseJsonSchema"] = answer.schema;
    },
    headers: ({ apiKey, headers }) => ({ ...headers, ...(apiKey ? { "x-goog-api-key": apiKey } : {}) }),
    // Address and key are always given: the package would otherwise take both from the environment of the process.
    async connect(model, { baseUrl, apiKey, headers }, fetch) {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI({ baseURL: baseUrl, apiKey: apiKey ?? "", headers: { ...headers }, fetch })(
        model,
      );
    },
  },
};
