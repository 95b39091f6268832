// node loops.mjs NAME: a framework's own agent. Waits for lines {baseUrl, prompt, instructions, tools} and answers each with
// {answer}. Its tools are carried out by the server at `baseUrl`, so that every framework gets the same results.
import { createInterface } from "node:readline";

const model = "bench-model";
const key = "key-of-a-bench";
const mostTurns = 20;

async function carryOut(baseUrl, name, args) {
  const done = await fetch(`${baseUrl}/carry-out/${name}`, { method: "POST", body: JSON.stringify(args) });
  return done.text();
}

const agents = {
  async toolLoopAgent() {
    const { jsonSchema, stepCountIs, tool, ToolLoopAgent } = await import("ai");
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    return async ({ baseUrl, prompt, instructions, tools }) => {
      const agent = new ToolLoopAgent({
        model: createOpenAICompatible({ name: "bench", baseURL: baseUrl, apiKey: key })(model),
        instructions,
        stopWhen: stepCountIs(mostTurns),
        tools: Object.fromEntries(
          tools.map(({ name, description, parameters }) => [
            name,
            tool({
              description,
              inputSchema: jsonSchema(parameters),
              execute: (args) => carryOut(baseUrl, name, args),
            }),
          ]),
        ),
      });
      return (await agent.generate({ prompt })).text;
    };
  },

  async openaiAgents() {
    const { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } = await import("@openai/agents");
    const { default: OpenAI } = await import("openai");
    setTracingDisabled(true);
    return async ({ baseUrl, prompt, instructions, tools }) => {
      const agent = new Agent({
        name: "bench",
        instructions,
        model: new OpenAIChatCompletionsModel(new OpenAI({ baseURL: baseUrl, apiKey: key }), model),
        tools: tools.map(({ name, description, parameters }) =>
          tool({
            name,
            description,
            parameters: { ...parameters, additionalProperties: true },
            strict: false,
            execute: (args) => carryOut(baseUrl, name, args),
          }),
        ),
      });
      return (await run(agent, prompt, { maxTurns: mostTurns })).finalOutput;
    };
  },

  async langGraph() {
    const { tool } = await import("@langchain/core/tools");
    const { createReactAgent } = await import("@langchain/langgraph/prebuilt");
    const { ChatOpenAI } = await import("@langchain/openai");
    return async ({ baseUrl, prompt, instructions, tools }) => {
      const agent = createReactAgent({
        llm: new ChatOpenAI({ model, apiKey: key, configuration: { baseURL: baseUrl } }),
        prompt: instructions,
        tools: tools.map(({ name, description, parameters }) =>
          tool((args) => carryOut(baseUrl, name, args), { name, description, schema: parameters }),
        ),
      });
      const { messages } = await agent.invoke(
        { messages: [{ role: "user", content: prompt }] },
        { recursionLimit: 2 * mostTurns + 1 },
      );
      return messages.at(-1).content;
    };
  },
};

const ask = await agents[process.argv[2]]();
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify({ answer: await ask(JSON.parse(line)) }));
}
