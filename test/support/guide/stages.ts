import { readFileSync } from "node:fs";
import { join } from "node:path";
import { databaseMadeBy } from "../postgres/shared-server.ts";
import { fakeVendor } from "../vendors/vendor-server.ts";
import { repository } from "../writ.ts";
import { blocksOf } from "./blocks.ts";
import type { Stage } from "./run-guide.ts";

/** What a guide's reader has on the machine beside Writ. */
export async function stageOf(path: string): Promise<Stage> {
  return stages[path]?.() ?? {};
}

function statementsOf(path: string): string {
  const blocks = blocksOf(readFileSync(join(repository, path), "utf8"));
  return blocks
    .filter(({ attributes }) => "database" in attributes)
    .map(({ text }) => text)
    .join("\n");
}

const memoryServer = join(repository, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");

const stages: Readonly<Record<string, () => Promise<Stage>>> = {
  "docs/guides/bring-an-mcp-server.md": async () => ({
    names: {
      "command: npx": `command: ${process.execPath}`,
      '"-y", "@modelcontextprotocol/server-memory"': JSON.stringify(memoryServer),
    },
  }),
  "docs/guides/embed-writ.md": async () => ({
    names: { "npm link writ": `mkdir node_modules && ln -s ${repository} node_modules/writ` },
  }),
  "docs/guides/invoice-desk.md": async () => ({
    names: {
      "npm install --silent @modelcontextprotocol/server": `mkdir node_modules && ln -s ${join(repository, "node_modules/@modelcontextprotocol")} node_modules/`,
    },
  }),
  "docs/guides/use-a-real-model.md": async () => {
    const model = await fakeVendor("openai-compatible");
    const said = (answer: object) => ({ text: JSON.stringify({ ...answer, schema_version: "v1" }) });
    model.will(
      { status: 200, raw: JSON.stringify({ object: "list", data: [{ id: "llama3.3", object: "model" }] }) },
      said({ intent: "Greet Ada by name", constraints: [], needs_advisor: false }),
      said({
        steps: [{ id: "s1", description: "Say hello through echo", depends_on: [] }],
        risks: [],
        needs_advisor: false,
      }),
      { calls: [{ id: "t1", name: "echo", input: '{"text":"Hello, Ada!"}' }], finish: "tool" },
      said({ output: "Hello, Ada!", steps_completed: ["s1"] }),
      said({ verdict: "pass", feedback: "Ada was greeted by name" }),
    );
    return { names: { "http://127.0.0.1:11434/v1": model.baseUrl }, close: () => model[Symbol.asyncDispose]() };
  },
  // The database of the guide is the one that its own statements make.
  "docs/guides/run-on-postgresql.md": async () => ({
    names: {
      "postgres://writ@db.example.org/writ": await databaseMadeBy(statementsOf("docs/guides/run-on-postgresql.md")),
    },
  }),
};
