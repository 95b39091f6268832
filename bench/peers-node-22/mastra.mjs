// A Mastra agent without memory or storage, which keeps nothing: one model, one tool.
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
const parts = {
  call: [{ type: "tool-call", toolCallId: "1", toolName: "echo", input: '{"text":"hello"}' }],
  answer: [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "done" },
    { type: "text-end", id: "1" },
  ],
};

export function mastra() {
  const echo = createTool({
    id: "echo",
    description: "gives back its text",
    inputSchema: z.object({ text: z.string() }),
    outputSchema: z.object({ text: z.string() }),
    execute: async ({ text }) => ({ text }),
  });
  const said = ({ prompt }) => (prompt.some(({ role }) => role === "tool") ? "answer" : "call");
  const reason = { call: "tool-calls", answer: "stop" };
  const model = {
    specificationVersion: "v2",
    provider: "mock",
    modelId: "mock",
    supportedUrls: {},
    async doGenerate(options) {
      const kind = said(options);
      const content = kind === "call" ? parts.call : [{ type: "text", text: "done" }];
      return { content, finishReason: reason[kind], usage, warnings: [] };
    },
    async doStream(options) {
      const kind = said(options);
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue({ type: "stream-start", warnings: [] });
          for (const part of parts[kind]) controller.enqueue(part);
          controller.enqueue({ type: "finish", finishReason: reason[kind], usage });
          controller.close();
        },
      });
      return { stream };
    },
  };
  const agent = new Agent({ id: "greeter", name: "greeter", instructions: "You greet.", model, tools: { echo } });
  return {
    async request() {
      const { text } = await agent.generate("Say hello");
      if (text !== "done") throw new Error(`Mastra did not finish: ${text}`);
    },
  };
}
