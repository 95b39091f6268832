import { expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { shippedTable } from "../adapters/files/model-table-file.ts";
import { ageInDays, tableOf } from "./model-table.ts";
import { readModelFacts } from "./read-model-facts.ts";

const table = tableOf(shippedTable());

test("the shipped table keeps its contract", () => {
  expect(shippedRegistry().validate("model_table_v1", shippedTable())).toMatchObject({ ok: true });
});

test.each([
  ["claude-sonnet-4-5", 3],
  ["claude-sonnet-4-5-20250929", 3],
  ["anthropic/claude-sonnet-4-5", 3],
  ["models/gemini-2.5-pro", 1.25],
  ["gpt-5-2025-08-07", 1.25],
  ["a-model-of-nobody", undefined],
  ["gpt-5:free", undefined],
])("%s costs %s", (model, price) => {
  expect(table.facts(model)?.price?.input_per_million).toBe(price);
});

test("an update takes precedence model by model", () => {
  const models = { "gpt-5": { vendor: "openai", price: { input_per_million: 9, output_per_million: 9 } } };
  const updated = tableOf(shippedTable(), { table: { as_of: "2027-01-01", models, schema_version: "v1" }, path: "p" });
  expect(updated.facts("gpt-5")?.price?.input_per_million).toBe(9);
  expect(updated.facts("claude-sonnet-4-5")).toBeDefined();
  expect(ageInDays(updated.as_of, Date.UTC(2027, 3, 2))).toBe(91);
});

test("LiteLLM's and models.dev's forms are read; a price that is absent stays unknown", () => {
  const lite = {
    "m/a": {
      litellm_provider: "m",
      mode: "chat",
      max_input_tokens: 10,
      input_cost_per_token: 3e-7,
      output_cost_per_token: 1e-6,
    },
    x: { litellm_provider: "m", mode: "embedding" },
  };
  expect(readModelFacts(lite, "2027-01-01")).toMatchObject({
    value: { models: { a: { vendor: "m", window: 10, price: { input_per_million: 0.3, output_per_million: 1 } } } },
  });
  const dev = { anthropic: { models: { c: { limit: { context: 5 }, tool_call: true } } } };
  const read = readModelFacts(dev, "2027-01-01");
  expect(read).toMatchObject({ ok: true, value: { models: { c: { window: 5, tools: true } } } });
  expect(JSON.stringify(read)).not.toContain("price");
  expect(readModelFacts([1], "2027-01-01").ok).toBe(false);
  expect(readModelFacts({ a: 1 }, "2027-01-01").ok).toBe(false);
});
