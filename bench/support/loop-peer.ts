import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { installPeers } from "./install-peers.ts";
import { node22 } from "./peer-on-node-22.ts";

/** What every framework's agent is given: the same server, words, rules and tools. */
export interface LoopTask {
  readonly baseUrl: string;
  readonly prompt: string;
  readonly instructions: string;
  readonly tools: readonly OfferedTool[];
}

/** A tool as a request offers it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

export interface LoopPeer {
  /** Has the agent do the task, and returns its answer. */
  run(task: LoopTask): Promise<string>;
  close(): void;
}

/** A framework's own agent, in a process of its own: it takes a line, and answers with one. */
export function loopPeer(name: string, where: "peers" | "peers-node-22" = "peers"): LoopPeer {
  const folder = installPeers(where);
  const node = where === "peers" ? process.execPath : node22(folder);
  const child = spawn(node, [`${folder}loops.mjs`, name], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(task) {
      child.stdin.write(`${JSON.stringify(task)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the agent of ${name} ended without an answer`);
      return (JSON.parse(value) as { readonly answer: string }).answer;
    },
    close: () => void child.kill(),
  };
}
