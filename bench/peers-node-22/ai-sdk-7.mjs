// The AI SDK 7's own loop, which keeps nothing: generateText with a mock model and one tool.
import { generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";

const usage = { inputTokens: { total: 10, noCache: 10 }, outputTokens: { total: 5, text: 5 } };
const call = { type: "tool-call", toolCallId: "1", toolName: "echo", input: '{"text":"hello"}' };

export function aiSdk7() {
  const echo = tool({
    description: "gives back its text",
    inputSchema: z.object({ text: z.string() }),
    execute: async ({ text }) => text,
  });
  return {
    async request() {
      let calls = 0;
      const model = new MockLanguageModelV4({
        doGenerate: async () =>
          ++calls === 1
            ? { content: [call], finishReason: { unified: "tool-calls" }, usage, warnings: [] }
            : { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] },
      });
      const { text } = await generateText({ model, tools: { echo }, stopWhen: isStepCount(3), prompt: "Say hello" });
      if (text !== "done") throw new Error("the AI SDK 7 did not finish");
    },
  };
}
