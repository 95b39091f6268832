import { join } from "node:path";
import { repository } from "../writ.ts";
import type { Stage } from "./run-guide.ts";

/** What a guide's reader has on the machine beside Writ. */
export async function stageOf(path: string): Promise<Stage> {
  return stages[path]?.() ?? {};
}

const memoryServer = join(repository, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");

const stages: Readonly<Record<string, () => Promise<Stage>>> = {
  "docs/guides/bring-an-mcp-server.md": async () => ({
    names: {
      "command: npx": `command: ${process.execPath}`,
      '"-y", "@modelcontextprotocol/server-memory"': JSON.stringify(memoryServer),
    },
  }),
};
