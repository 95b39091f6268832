// Limits of writ.yaml that no other file breaks: each is set low and reached, and the act that reaches it ends.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ok } from "#core/values";
import { type TestWorkspace, testWorkspace, type WorkspaceOptions } from "../support/runtime-workspace.ts";
import { withModel } from "../support/with-model.ts";

async function workspaceWith(options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const workspace = await testWorkspace(options);
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

const wide = { token_limit: 50_000, turn_limit: 20, timeout_seconds: 60 };
const echo = (text: string) => ({ tool_calls: [{ name: "echo", args: { text } }] });

describe("limits", () => {
  test("tool_timeout_seconds ends a tool that does not answer", async () => {
    const workspace = await workspaceWith({ config: { limits: { tool_timeout_seconds: 0.1 } } });
    const registered = workspace.runtime.tools.register({
      name: "slow.think",
      description: "Never answers.",
      schema_in: { type: "object" },
      schema_out: { type: "object" },
      annotations: { readOnly: true },
      origin: "test",
      invoke: (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve(ok({})), { once: true })),
    });
    expect(registered.ok).toBe(true);
    // It answers once it is stopped, which says that it was.
    const input = { tool: "slow.think", args: {} };
    const result = await workspace.order({ type: "tool-call", input, tool_permissions: ["slow.think"] });
    expect(result.status).toBe("success");
    const stubborn = await workspaceWith({ config: { limits: { tool_timeout_seconds: 0.1 } } });
    stubborn.runtime.tools.register({
      name: "slow.think",
      description: "Never answers.",
      schema_in: { type: "object" },
      schema_out: { type: "object" },
      annotations: { readOnly: true },
      origin: "test",
      invoke: () => new Promise(() => undefined),
    });
    const ended = await stubborn.order({ type: "tool-call", input, tool_permissions: ["slow.think"] });
    expect(ended).toMatchObject({ error_code: "TOOL_TIMEOUT", error: expect.stringContaining("within 100 ms") });
  });

  test("tool_output_bytes refuses an answer that is larger", async () => {
    const say = async (text: string) => {
      const workspace = await workspaceWith({ config: { limits: { tool_output_bytes: 200 } } });
      return workspace.order({
        type: "tool-call",
        input: { tool: "echo", args: { text } },
        tool_permissions: ["echo"],
      });
    };
    expect(await say("short")).toMatchObject({ status: "success" });
    expect(await say("long ".repeat(100))).toMatchObject({ status: "failure", error_code: "TOOL_ERROR" });
  });

  test("tool_calls_per_request ends an agent that calls without end", async () => {
    const workspace = await workspaceWith({
      rules: Array.from({ length: 9 }, (_, call) => ({ when: { call: call + 1 }, respond: echo(`word ${call}`) })),
      config: { limits: { tool_calls_per_request: 3 } },
    });
    const result = await workspace.order({
      type: "solo",
      input: { prompt: "say it" },
      tool_permissions: ["echo"],
      budget: wide,
    });
    expect(result.error).toContain("limits.tool_calls_per_request");
    const called = (await workspace.events(result.session_id)).filter(({ type }) => type === "tool.invoke");
    expect(called).toHaveLength(3);
  });

  test.each([0, 2])("repair_attempts: %i is how often a model is asked to mend its answer", async (repair_attempts) => {
    const workspace = await workspaceWith({
      rules: [{ when: { role: "lead" }, respond: { raw: "Well." } }],
      config: { limits: { repair_attempts } },
    });
    const result = await workspace.order({ type: "plan-work-review", budget: wide });
    expect(result).toMatchObject({ status: "failure", error_code: "MALFORMED_AGENT_MESSAGE" });
    const asked = (await workspace.events(result.session_id)).filter(({ type }) => type === "llm.request");
    expect(asked).toHaveLength(1 + repair_attempts);
  });

  test("model_idle_seconds ends a call of which nothing comes any more", async () => {
    await using bench = await withModel({ config: { limits: { model_idle_seconds: 0.2 } } });
    bench.vendor.will({ half: { text: "Half of it." }, then: "silence" });
    const result = await bench.workspace.order({ budget: wide }, { onText: () => undefined });
    expect(result).toMatchObject({ status: "timeout", error_code: "PROVIDER_TIMEOUT" });
    expect(result.error).toMatch(/0\.2|200/);
  });

  test("hook_timeout_seconds ends a hook that names no limit of its own, and what it was asked about does not happen", async () => {
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "sleep 600" }] }] };
    const workspace = await workspaceWith({ config: { hooks, limits: { hook_timeout_seconds: 0.2 } } });
    const result = await workspace.order({
      type: "tool-call",
      input: { tool: "echo", args: { text: "a" } },
      tool_permissions: ["echo"],
    });
    expect(result.status).not.toBe("success");
    const events = await workspace.events(result.session_id);
    expect(events.some(({ type }) => type === "tool.invoke")).toBe(false);
    expect(JSON.stringify(events.filter(({ type }) => type === "hook.fired"))).toMatch(/0\.2 s|200 ms|timed? ?out/);
  });
});

describe("attention", () => {
  const files = {
    "docs/a.md": "The lighthouse keeper is called Grimsby.\n",
    "docs/b.md": "The lighthouse is white.\n",
    "docs/c.md": "The lighthouse burns oil.\n",
    "registries/teams.csv": `team,city\n${"red,Rome\n".repeat(40)}`,
  };
  /** What the only template of the workspace assembles, under these settings. */
  async function assembled(pipeline: string, attention: object, orders = 1) {
    const path = "frameworks/FMWK-005_Agent_Orchestration/attention_templates/ATT-GENERAL-001.yaml";
    const template = `template_id: ATT-GENERAL-001\nversion: "9.0.0"\napplies_to: { framework_id: [FMWK-005] }\npipeline:\n${pipeline}\non_empty: proceed\n`;
    const workspace = await workspaceWith({
      rules: [{ respond: { text: "The lighthouse stands." } }],
      files: { ...files, [path]: template },
      config: { attention },
    });
    expect((await workspace.runtime.packages.adopt()).ok).toBe(true);
    let payload: { fragments: { origin: string; tokens?: number }[]; warnings: string[]; tokens: number } | undefined;
    for (let index = 0; index < orders; index++) {
      const { session_id } = await workspace.order({
        input: { prompt: "lighthouse" },
        scope: { read_files: ["**"] },
        budget: { token_limit: 4_000, turn_limit: 1, timeout_seconds: 60 },
      });
      const event = (await workspace.events(session_id)).find(({ type }) => type === "attention.assembled");
      payload = event?.payload as unknown as typeof payload;
      await workspace.reopen();
    }
    if (!payload) throw new Error("no context was assembled");
    return { ...payload, root: workspace.root };
  }

  test("seen_files bounds what a glob looks at", async () => {
    const glob = `  - { type: file_read, paths: ["docs/*.md"] }`;
    expect((await assembled(glob, { seen_files: 20 })).fragments).toHaveLength(3);
    expect((await assembled(glob, { seen_files: 2 })).fragments.length).toBeLessThan(3);
  });

  test("searched_files bounds what a search reads, and the record says so", async () => {
    const search = `  - { type: horizontal_search, sources: [files], paths: ["docs/*.md"], query: lighthouse }`;
    const all = await assembled(search, { searched_files: 3 });
    expect([all.fragments.length, all.warnings]).toEqual([3, []]);
    const one = await assembled(search, { searched_files: 1 });
    expect([one.fragments.length, one.warnings]).toEqual([1, ["docs/*.md: only the first files were searched"]]);
  });

  test("registry_bytes bounds a registry", async () => {
    const query = `  - { type: registry_query, registry: teams, on_error: skip, limit: 1 }`;
    expect((await assembled(query, { registry_bytes: 4_096 })).fragments).toHaveLength(1);
    expect((await assembled(query, { registry_bytes: 100 })).fragments).toEqual([]);
  });

  test("ledger_candidates bounds how many entries of earlier orders are weighed", async () => {
    const search = `  - { type: horizontal_search, sources: [events], entry_types: [wo.completed], sessions: framework, query: lighthouse, limit: 9, min_score: 0 }`;
    expect((await assembled(search, { ledger_candidates: 9 }, 4)).fragments).toHaveLength(3);
    expect((await assembled(search, { ledger_candidates: 1 }, 4)).fragments).toHaveLength(1);
  });

  const memory = `  - { type: custom, handler: memory, config: { sessions: current } }`;
  test("checkpoint_entries says after how many entries memory keeps a checkpoint", async () => {
    const checkpoints = (root: string) =>
      readdirSync(join(root, "planes/ho2"), { recursive: true }).filter((name) => /\d{12}\.json$/.test(String(name)));
    expect(checkpoints((await assembled(memory, { checkpoint_entries: 1_000 })).root)).toEqual([]);
    expect(checkpoints((await assembled(memory, { checkpoint_entries: 1 })).root)).toHaveLength(1);
  });

  test("memory_notes bounds what memory tells of a session", async () => {
    const notes = async (memory_notes: number) => {
      const step = (done: number) =>
        done < 3 ? ({ type: "send_prompt", prompt: `step ${done}` } as const) : ({ type: "complete" } as const);
      const workspace = await workspaceWith({
        rules: [{ respond: { text: "done" } }],
        strategies: { steps: { nextStep: (_, history) => step(history.length) } },
        config: {
          attention: { memory_notes },
          v2_features: { multi_step_enabled: true, aperture_enabled: true },
          aperture: [{ to: "closing", after_steps: 2, budget_below: 0 }],
        },
      });
      const { session_id } = await workspace.order({ type: "steps", budget: wide });
      const events = await workspace.events(session_id);
      const assembled = events.findLast((event) => event.type === "attention.assembled");
      expect(assembled?.payload.template_id).toBe("ATT-CLOSING-001");
      return assembled?.payload.tokens ?? 0;
    };
    expect(await notes(48)).toBeGreaterThan(await notes(1));
  });

  test("order_share bounds the context by the tokens of the order", async () => {
    const glob = `  - { type: file_read, paths: ["docs/*.md"] }`;
    expect((await assembled(glob, { order_share: 0.5 })).tokens).toBeGreaterThan(12);
    expect((await assembled(glob, { order_share: 0.003 })).tokens).toBeLessThanOrEqual(12);
  });
});

test("delegation.max_fan_out bounds how many agents one order asks for", async () => {
  const workspace = await workspaceWith({
    rules: [{ when: { call: 1 }, respond: { json: { tasks: ["a", "b"] } } }, { respond: { text: "done" } }],
    config: {
      v2_features: { multi_step_enabled: true, delegation_enabled: true },
      delegation: { max_fan_out: 1 },
    },
  });
  const result = await workspace.order({ type: "decompose", plane_id: "ho2", budget: wide });
  expect(result.status).toBe("failure");
  expect(result.error).toContain("writ.yaml (delegation.max_fan_out)");
});
