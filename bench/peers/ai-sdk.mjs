// The AI SDK's own loop, which keeps nothing: generateText with a mock model and one tool.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

const usage = { inputTokens: { total: 10, noCache: 10 }, outputTokens: { total: 5, text: 5 } };

const echo = tool({
  description: "gives back its text",
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }) => text,
});

/** The same loop over a model server. */
export function aiSdkOver(baseURL) {
  const model = createOpenAICompatible({ name: "bench", baseURL, apiKey: "key-of-a-bench" })("m");
  return async (task) => {
    const { text } = await generateText({ model, tools: { echo }, stopWhen: stepCountIs(3), prompt: `Repeat ${task}` });
    if (text !== "done") throw new Error("the AI SDK did not finish");
  };
}

export function aiSdk() {
  return {
    async request() {
      let calls = 0;
      const model = new MockLanguageModelV3({
        doGenerate: async () =>
          ++calls === 1
            ? {
                content: [{ type: "tool-call", toolCallId: "1", toolName: "echo", input: '{"text":"hello"}' }],
                finishReason: { unified: "tool-calls" },
                usage,
                warnings: [],
              }
            : { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] },
      });
      const { text } = await generateText({ model, tools: { echo }, stopWhen: stepCountIs(3), prompt: "Say hello" });
      if (text !== "done") throw new Error("the AI SDK did not finish");
    },
    close: () => undefined,
  };
}
