// FMWK-005: The flow runner MUST NOT make LLM calls directly — all prompts go through the prompt router.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { testWorkspace } from "../support/runtime-workspace.ts";

const source = fileURLToPath(new URL("../../src/", import.meta.url));

test("outside agents/models no file calls a provider's complete, and none imports a vendor", () => {
  const offenders = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter(
      (path) => path.endsWith(".ts") && !/\.(test|case|fixture)\.ts$/.test(path) && !path.startsWith("agents/models/"),
    )
    .filter((path) => /\.complete\(|from "@ai-sdk\/|from "ai"/.test(readFileSync(`${source}${path}`, "utf8")));
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
