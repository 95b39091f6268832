// The OpenAI Agents SDK's own loop, which keeps nothing: an agent with one tool over a model that answers at once.
import { Agent, run, setTracingDisabled, tool, Usage } from "@openai/agents";
import { z } from "zod";

setTracingDisabled(true);

export function openaiAgents() {
  const echo = tool({
    name: "echo",
    description: "gives back its text",
    parameters: z.object({ text: z.string() }),
    execute: async ({ text }) => text,
  });
  const usage = () => new Usage({ requests: 1, inputTokens: 10, outputTokens: 5, totalTokens: 15 });
  return {
    async request() {
      let calls = 0;
      const model = {
        getResponse: async () => ({
          usage: usage(),
          output: [
            ++calls === 1
              ? { type: "function_call", callId: "1", name: "echo", arguments: '{"text":"hello"}', status: "completed" }
              : {
                  type: "message",
                  role: "assistant",
                  status: "completed",
                  content: [{ type: "output_text", text: "done" }],
                },
          ],
        }),
      };
      const agent = new Agent({ name: "bench", instructions: "Answer.", model, tools: [echo] });
      const { finalOutput } = await run(agent, "Say hello");
      if (finalOutput !== "done") throw new Error("the OpenAI Agents SDK did not finish");
    },
    close: () => undefined,
  };
}
