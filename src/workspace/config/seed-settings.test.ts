// Every setting that the seeds' contracts name is a key of writ.yaml, has one that does the same, or is refused by name.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { memoryFiles } from "../../../test/support/memory-files.ts";
import { loadConfig } from "./load-config.ts";
import { seedSetting, seedSettings } from "./seed-settings.ts";

type Schema = Readonly<Record<string, unknown>>;

function schemaOf(id: string): Schema {
  return JSON.parse(readFileSync(new URL(`../../../schemas/${id}.json`, import.meta.url), "utf8")) as Schema;
}

/** The dotted paths of every property; entries of maps and lists are `*`. */
function pathsOf(schema: Schema, path: readonly string[] = []): readonly string[] {
  if (schema["$ref"] === "budget_v1") return pathsOf(schemaOf("budget_v1"), path);
  const {
    properties = {},
    additionalProperties,
    items,
  } = schema as {
    properties?: Record<string, Schema>;
    additionalProperties?: Schema | false;
    items?: Schema;
  };
  const own = Object.entries(properties).flatMap(([name, each]) => {
    const at = [...path, name];
    const below = pathsOf(each, at);
    return below.length > 0 ? below : [at.join(".")];
  });
  const entries = [additionalProperties, items].flatMap((each) =>
    each && typeof each === "object" ? pathsOf(each, [...path, "*"]) : [],
  );
  return [...own, ...entries];
}

const keys = new Set(pathsOf(schemaOf("writ_config_v1")));
/** A key may also name a section. */
const isKey = (key: string) => [...keys].some((each) => each === key || each.startsWith(`${key}.`));

describe.each(["budget_config_v1", "router_config_v1", "flow_runner_config_v1"])("%s", (id) => {
  test.each(pathsOf(schemaOf(id)))("%s is kept by a key of writ.yaml, or refused by name", (path) => {
    const own = path.replace(/^default_budget\./, "budget.");
    if (isKey(own)) return;
    expect(Object.keys(seedSettings)).toContain(path);
    expect(seedSetting(path.replaceAll("*", "x"))).toMatch(/^(here it is|there is no such setting: )/);
  });
});

test("what a setting is called here is a key that there is", () => {
  for (const setting of Object.values(seedSettings))
    if ("key" in setting) expect([setting.key, isKey(setting.key)]).toEqual([setting.key, true]);
});

test.each([
  ["agent_id_prefix: BOT", 'unknown key "agent_id_prefix"; there is no such setting: records and other programs know'],
  ["slice_tokens: 100", 'unknown key "slice_tokens"; there is no such setting: an order takes all'],
  ["retry_base_ms: 100", 'unknown key "retry_base_ms"; here it is `retries.first_delay_ms`'],
  ["multi_step: { max_steps: 3 }", 'unknown key "multi_step"; here it is `limits.plan_steps`'],
  ["delegation: { max_children: 3 }", 'unknown key "delegation.max_children"; here it is `delegation.max_fan_out`'],
  ["recovery: { on_failure: retry }", 'unknown key "recovery.on_failure"; here it is `recovery.keep_partial`'],
  ["session_budget: { turn_limit: 3 }", 'unknown key "session_budget.turn_limit"; there is no such setting: a session'],
])("`%s` in writ.yaml is refused, with the way to say it", async (line, message) => {
  const loaded = await loadConfig("/w", memoryFiles({ "/w/writ.yaml": `version: 1\n${line}\n` }));
  expect(loaded).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
  expect(loaded.ok ? "" : loaded.error.message).toContain(`writ.yaml:2: ${message}`);
});
