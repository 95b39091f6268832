import { expect, test } from "vitest";
import { sha256 } from "#base";
import { testWorkspace } from "../../../test/support/runtime-workspace.ts";
import { configDefaults } from "../config/defaults.ts";
import { namedFiles } from "./named-files.ts";

test("what writ.yaml names is never written, whatever case it is asked in; folders and strangers are", () => {
  const why = namedFiles(
    {
      ...configDefaults,
      script: "talk.yaml",
      profiles: { play: { replay: "tapes/a.jsonl" } },
      secrets: { TOKEN: { file: "private/token" } },
      context_files: ["NOTES.md"],
      mcp: {
        read_mcp_json: false,
        servers: {
          kb: { command: "node", args: ["servers/kb.mjs", "documents"], cwd: "tools" },
          far: { url: "https://x" },
        },
      },
    },
    "/workspace",
  );
  for (const path of ["talk.yaml", "Talk.YAML", "tapes/a.jsonl", "private/token", "NOTES.md", "tools/servers/kb.mjs"])
    expect(why(path), path).toContain("writ.yaml names it");
  for (const path of ["other.yaml", "tools/documents", "tools/documents/a.md", "tapes/b.jsonl", "node"])
    expect(why(path), path).toBeUndefined();
});

test("a tool with every right cannot rewrite the script that speaks for the model", async () => {
  await using workspace = await testWorkspace({ rules: [] });
  const before = await workspace.read("script.yaml");
  const args = {
    path: "script.yaml",
    content: "rules: []\n# mine now\n",
    expected_hash: sha256(before),
    why: "to speak",
  };
  const order = await workspace.runtime.writeToolOrder("fs.write", args, ["**"]);
  if (!order.ok) throw new Error(order.error.message);
  const request = { work_order: { ...order.value }, caller_id: workspace.runtime.caller };
  const result = await workspace.runtime.runFlow(request, { fresh: true });
  expect(result).toMatchObject({ error: expect.stringContaining("writ.yaml names it (script)") });
  expect(await workspace.read("script.yaml")).toBe(before);
});
