// LangGraph in its durable set-up: a graph of model, tool, model with SqliteSaver, one thread a request.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

export function langGraph() {
  const folder = mkdtempSync(join(tmpdir(), "writ-bench-langgraph-"));
  const checkpointer = SqliteSaver.fromConnString(join(folder, "checkpoints.db"));
  const model = async ({ messages }) => {
    const last = messages.at(-1);
    return {
      messages: [
        last.getType() === "tool"
          ? new AIMessage("done")
          : new AIMessage({ content: "", tool_calls: [{ id: "1", name: "echo", args: { text: "hello" } }] }),
      ],
    };
  };
  const tools = async ({ messages }) => {
    const [call] = messages.at(-1).tool_calls;
    return { messages: [new ToolMessage({ content: call.args.text, tool_call_id: call.id })] };
  };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model", model)
    .addNode("tools", tools)
    .addEdge(START, "model")
    .addConditionalEdges("model", ({ messages }) => (messages.at(-1).tool_calls?.length ? "tools" : END))
    .addEdge("tools", "model")
    .compile({ checkpointer });
  let threads = 0;
  return {
    async request() {
      const result = await graph.invoke(
        { messages: [new HumanMessage("Say hello")] },
        { configurable: { thread_id: String(++threads) } },
      );
      if (result.messages.at(-1).content !== "done") throw new Error("LangGraph did not finish");
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The prebuilt agent over a model server, with a durable thread for each task. */
export async function langGraphOver(baseURL) {
  const { createReactAgent } = await import("@langchain/langgraph/prebuilt");
  const { ChatOpenAI } = await import("@langchain/openai");
  const { tool } = await import("@langchain/core/tools");
  const { z } = await import("zod");
  const folder = mkdtempSync(join(tmpdir(), "writ-bench-langgraph-"));
  const echo = tool(async ({ text }) => text, {
    name: "echo",
    description: "gives back its text",
    schema: z.object({ text: z.string() }),
  });
  const agent = createReactAgent({
    llm: new ChatOpenAI({ model: "m", apiKey: "key-of-a-bench", configuration: { baseURL } }),
    tools: [echo],
    checkpointer: SqliteSaver.fromConnString(join(folder, "checkpoints.db")),
  });
  return async (task) => {
    const result = await agent.invoke(
      { messages: [new HumanMessage(`Repeat ${task}`)] },
      { configurable: { thread_id: task } },
    );
    if (result.messages.at(-1).content !== "done") throw new Error("LangGraph did not finish");
  };
}

/** A chain of ten nodes, a checkpoint after each. */
export function langGraphSteps() {
  const folder = mkdtempSync(join(tmpdir(), "writ-bench-langgraph-"));
  const checkpointer = SqliteSaver.fromConnString(join(folder, "checkpoints.db"));
  const graph = new StateGraph(MessagesAnnotation);
  const names = Array.from({ length: 10 }, (_, index) => `step-${index}`);
  for (const name of names) graph.addNode(name, async () => ({ messages: [new AIMessage("ok")] }));
  graph.addEdge(START, names[0]);
  for (const [index, name] of names.entries()) graph.addEdge(name, names[index + 1] ?? END);
  const compiled = graph.compile({ checkpointer });
  let threads = 0;
  return {
    async request() {
      const result = await compiled.invoke(
        { messages: [new HumanMessage("begin")] },
        { configurable: { thread_id: String(++threads) } },
      );
      if (result.messages.length !== 11) throw new Error("LangGraph did not finish");
    },
  };
}
