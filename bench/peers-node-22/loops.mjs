// node loops.mjs NAME: a framework's own agent, as bench/peers/loops.mjs has them, for those that need Node 22.
import { createInterface } from "node:readline";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";

async function carryOut(baseUrl, name, args) {
  const done = await fetch(`${baseUrl}/carry-out/${name}`, { method: "POST", body: JSON.stringify(args) });
  return done.text();
}

const agents = {
  async mastra({ baseUrl, prompt, instructions, tools }) {
    const agent = new Agent({
      id: "bench",
      name: "bench",
      instructions,
      model: { id: "bench/bench-model", url: baseUrl, apiKey: "key-of-a-bench" },
      tools: Object.fromEntries(
        tools.map(({ name, description, parameters }) => [
          name,
          createTool({
            id: name,
            description,
            inputSchema: parameters,
            execute: (args) => carryOut(baseUrl, name, args),
          }),
        ]),
      ),
    });
    return (await agent.generate(prompt, { maxSteps: 20 })).text;
  },
};

const ask = agents[process.argv[2]];
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify({ answer: await ask(JSON.parse(line)) }));
}
