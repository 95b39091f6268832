// FMWK-005: The flow runner MUST NOT make LLM calls directly — all prompts go through the prompt router.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { testWorkspace } from "../support/runtime-workspace.ts";

const source = fileURLToPath(new URL("../../src/", import.meta.url));

/** Types alone call nothing: `embed` offers the SDK's programs a model of the SDK's form. */
const reachesModels = /\.complete\(|^import (?!type\b)[^;]*from "(?:@ai-sdk\/|ai")|\bimport\("(?:@ai-sdk\/|ai")/m;

test("outside agents/models no file calls a provider's complete, and none imports a vendor's code", () => {
  const offenders = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter(
      (path) => path.endsWith(".ts") && !/\.(test|case|fixture)\.ts$/.test(path) && !path.startsWith("agents/models/"),
    )
    .filter((path) => reachesModels.test(readFileSync(`${source}${path}`, "utf8")));
  expect(offenders).toEqual([]);
});

test("every answer that a flow used was announced, answered and settled by the router", async () => {
  await using workspace = await testWorkspace();
  const { session_id } = await workspace.ask("greet Ada");
  const events = await workspace.events(session_id);
  const ids = (type: string) =>
    events.filter((event) => event.type === type).map((event) => (event.payload as { request_id: string }).request_id);
  expect(ids("llm.response")).toEqual(ids("llm.request"));
  const settled = events.filter(
    (event) => event.type === "budget.updated" && (event.payload as { action: string }).action === "settle",
  );
  expect(settled).toHaveLength(ids("llm.request").length);
});
