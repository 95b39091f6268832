// Each property of a work order that limits, declares or promises something, broken on purpose: none passes.
import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import type { FlowResult } from "#work";
import { cliWith } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, type WorkspaceOptions, workOrder } from "../support/runtime-workspace.ts";

type Enforcers = Readonly<Record<string, Readonly<Record<string, string>>>>;
const enforcers = parse(readFileSync(new URL("../../schemas/enforcers.yaml", import.meta.url), "utf8")) as Enforcers;

/** An order that breaks one property, and the code by which it is refused. */
interface Breach {
  readonly order: object;
  readonly code: string;
  readonly with?: WorkspaceOptions;
}

const calling = (tool: string, args: object, more: object = {}) => ({
  type: "tool-call",
  input: { tool, args },
  tool_permissions: [tool],
  ...more,
});
const reading = (scope: object) => calling("fs.read", { path: "notes/a.md" }, { scope });
const writing = (scope: object, more: object = {}) =>
  calling("fs.write", { path: "notes/b.md", content: "x", expected_hash: "", why: "a test" }, { scope, ...more });
const running = (scope: object, more: object = {}) =>
  calling("exec", { command: ["/bin/sh", "-c", "true"] }, { scope, ...more });
const echoing = (permission: unknown) => calling("echo", { text: "b" }, { tool_permissions: [permission] });
const link = { from: "root", to: "ada", grants: ["order.submit"], key_id: "k", signature: "AAAA" };
const chain = (more: object) => ({ authorization: { chain: [{ ...link, ...more }] } });
const judged = (criterion: object) => ({ acceptance: { tests: [criterion] } });
const inputs = { prompt: "Say hello to Ada" };

/** A framework whose policy refuses whom a call reaches, and accounts; an order under it may be stricter. */
const judging: WorkspaceOptions = {
  config: { v2_features: { multi_step_enabled: true } },
  rules: [
    {
      when: { role: "solo", call: 1 },
      respond: {
        tool_calls: [
          { name: "fs.write", args: { path: "notes/b.md", content: "x", expected_hash: "", why: "a test" } },
        ],
      },
    },
    { when: { role: "solo" }, respond: { text: "written" } },
    { when: { role: "reviewer" }, respond: { json: { verdict: "pass", feedback: "good", schema_version: "v1" } } },
  ],
  files: {
    "frameworks/FMWK-DRAFTS/manifest.yaml": stringify({
      framework_id: "FMWK-DRAFTS",
      title: "Drafts",
      version: "1.0.0",
      status: "active",
      ring: "resident",
      plane_id: "ho1",
      agent_classes: ["RESIDENT"],
      default_agent_class: "RESIDENT",
      path_authorizations: ["notes/**"],
      required_gates: [],
      expected_specs: ["SPEC-DRAFTS-001"],
      values: { pack: "house" },
      schema_version: "v2",
    }),
    "registries/frameworks_registry.csv":
      "framework_id,title,status,version,plane_id,path\nFMWK-DRAFTS,Drafts,active,1.0.0,ho1,frameworks/FMWK-DRAFTS\n",
    "registries/specs_registry.csv":
      "spec_id,title,framework_id,status,version\nSPEC-DRAFTS-001,Drafts,FMWK-DRAFTS,active,1.0.0\n",
    "workflows/policies/house.md": `---\n${stringify({
      id: "house",
      kind: "value-rights",
      rules: [
        { each: "value", when: 'value.sink == "reach"', then: "deny", reason: "nobody is reached" },
        { each: "value", when: 'value.kind == "account"', then: "deny", reason: "no accounts" },
        { each: "value", when: "true", then: "allow", reason: "all else" },
      ],
      schema_version: "v1",
    })}---\nOf our own making.\n`,
  },
};
/** What the order itself calls is not judged by its values, what its agent calls is. */
const valued = (more: object) => ({
  type: "solo",
  framework_id: "FMWK-DRAFTS",
  spec_id: "SPEC-DRAFTS-001",
  schema_version: "v2",
  scope: { allowed_files: ["notes/**"] },
  tool_permissions: ["fs.write"],
  input: { prompt: "Write the draft" },
  budget: { token_limit: 50_000, turn_limit: 10, timeout_seconds: 60 },
  ...more,
});
const meaning = (path: object) => valued({ tool_permissions: [{ tool: "fs.write", args: { path } }] });
const notThisOne = { each: "value", when: 'value.text == "notes/b.md"', then: "deny", reason: "not this one" };
const ruled = (rule: object) => valued({ values: { rules: [{ ...notThisOne, ...rule }] } });

const breaches: Readonly<Record<string, Breach | { readonly elsewhere: string }>> = {
  work_order_id: { order: { work_order_id: "../x" }, code: "WORK_ORDER_INVALID" },
  type: { order: { type: "turn" }, code: "WORK_ORDER_INVALID" },
  plane_id: { order: { plane_id: "ho9" }, code: "WORK_ORDER_INVALID" },
  spec_id: { order: { spec_id: "SPEC-NONE-001" }, code: "WORK_ORDER_INVALID" },
  framework_id: { order: { framework_id: "FMWK-999" }, code: "FRAMEWORK_NOT_FOUND" },
  "scope.allowed_files": { order: writing({ allowed_files: ["docs/**"] }), code: "CAPABILITY_VIOLATION" },
  "scope.code_that_runs": {
    order: calling(
      "fs.write",
      { path: "Makefile", content: "x", expected_hash: "", why: "a test" },
      { scope: { allowed_files: ["**"], code_that_runs: ["package.json"] }, schema_version: "v2" },
    ),
    code: "CAPABILITY_VIOLATION",
  },
  "scope.read_files": { order: reading({ read_files: ["docs/**"] }), code: "CAPABILITY_VIOLATION" },
  "scope.forbidden_files": {
    order: reading({ read_files: ["**"], forbidden_files: ["notes/"] }),
    code: "CAPABILITY_VIOLATION",
  },
  "scope.programs": { order: running({ programs: ["git *"] }), code: "CAPABILITY_VIOLATION" },
  "scope.hosts": { elsewhere: "src/effects/turns/mandate-of-a-turn.test.ts" },
  "scope.models": { order: { scope: { models: ["none"] } }, code: "NOT_AUTHORIZED" },
  "acceptance.tests[].command": { order: judged({ command: ["false"] }), code: "ACCEPTANCE_FAILED" },
  "acceptance.tests[].timeout_seconds": {
    order: judged({ command: ["sleep", "8"], timeout_seconds: 1 }),
    code: "ACCEPTANCE_FAILED",
  },
  "acceptance.tests[].expression": { order: judged({ expression: "1 == 2" }), code: "ACCEPTANCE_FAILED" },
  "acceptance.checks[].command": { order: { acceptance: { checks: ["false"] } }, code: "ACCEPTANCE_FAILED" },
  "acceptance.checks[].timeout_seconds": {
    order: { acceptance: { checks: [{ command: ["sleep", "8"], timeout_seconds: 1 }] } },
    code: "ACCEPTANCE_FAILED",
  },
  "acceptance.checks[].expression": {
    order: { acceptance: { checks: [{ expression: "no_such_fact == 1" }] } },
    code: "WORK_ORDER_INVALID",
  },
  "input.prompt": { order: { input: { prompt: 7 } }, code: "WORK_ORDER_INVALID" },
  "io_schema.input_schema": {
    order: { io_schema: { input_schema: { required: ["iban"] } } },
    code: "WORK_ORDER_INVALID",
  },
  "io_schema.output_schema": {
    order: { io_schema: { output_schema: { type: "object", required: ["iban"] } } },
    code: "ACCEPTANCE_FAILED",
  },
  budget: { order: { budget: { token_limit: 1 } }, code: "BUDGET_EXHAUSTED" },
  landing: { order: { landing: "sometimes" }, code: "WORK_ORDER_INVALID" },
  on_partial: { order: { on_partial: "sometimes" }, code: "WORK_ORDER_INVALID" },
  "delegation.max_depth": { elsewhere: "test/e2e/mandate.test.ts" },
  "delegation.max_children": { elsewhere: "test/e2e/mandate.test.ts" },
  "tool_permissions[].tool": { order: echoing("fs.*"), code: "TOOL_NOT_ALLOWED" },
  "tool_permissions[].max_calls": { elsewhere: "test/e2e/mandate.test.ts" },
  "tool_permissions[].opens": { elsewhere: "test/e2e/sealed-values.test.ts" },
  "tool_permissions[].args_schema": {
    order: echoing({ tool: "echo", args_schema: { properties: { text: { const: "a" } } } }),
    code: "TOOL_NOT_ALLOWED",
  },
  "tool_permissions[].args.*.sink": { order: meaning({ sink: "reach" }), code: "PARTIAL_RESULT", with: judging },
  "tool_permissions[].args.*.kind": {
    order: meaning({ sink: "secret", kind: "account" }),
    code: "PARTIAL_RESULT",
    with: judging,
  },
  "values.pack": { order: valued({ values: { pack: "standard" } }), code: "NOT_AUTHORIZED", with: judging },
  "values.rules[].each": { order: ruled({}), code: "PARTIAL_RESULT", with: judging },
  "values.rules[].when": {
    order: ruled({ when: "nothing.of_this == 1" }),
    code: "PARTIAL_RESULT",
    with: judging,
  },
  "values.rules[].then": { order: ruled({ then: "ask" }), code: "APPROVAL_PENDING", with: judging },
  "values.rules[].reason": { order: ruled({ reason: undefined }), code: "WORK_ORDER_INVALID", with: judging },
  "approvals[].tools": {
    order: calling("echo", { text: "b" }, { approvals: [{ tools: ["echo"], reason: "r" }] }),
    code: "APPROVAL_PENDING",
  },
  "approvals[].files": {
    order: writing({ allowed_files: ["**"] }, { approvals: [{ files: ["notes/**"], reason: "r" }] }),
    code: "APPROVAL_PENDING",
  },
  "approvals[].reason": {
    order: calling("echo", { text: "b" }, { approvals: [{ tools: ["echo"] }] }),
    code: "WORK_ORDER_INVALID",
  },
  agent_class: { order: { agent_class: "KERNEL.syntactic" }, code: "AGENT_CLASS_NOT_PERMITTED" },
  skill: { order: { skill: "no-such-skill" }, code: "WORK_ORDER_INVALID" },
  cycle: { order: { cycle: "code-review" }, code: "WORK_ORDER_INVALID" },
  mode: { order: { ...writing({ allowed_files: ["**"] }), mode: "report-only" }, code: "WORK_ORDER_INVALID" },
  profile: { order: { profile: "no-such-profile" }, code: "NOT_FOUND" },
  prompt_contract_id: { order: { prompt_contract_id: "PRC-NONE-001" }, code: "NOT_AUTHORIZED" },
  attention_template_id: { order: { attention_template_id: "ATT-NONE-001" }, code: "NOT_AUTHORIZED" },
  "declared_inputs[].path": { order: { declared_inputs: [{ path: "none.md" }] }, code: "WORK_ORDER_INVALID" },
  "declared_inputs[].sha256": {
    order: { ...reading({ read_files: ["**"] }), declared_inputs: [{ path: "notes/a.md", sha256: "0".repeat(64) }] },
    code: "WORK_ORDER_INVALID",
  },
  "declared_outputs[].path": {
    order: { scope: { allowed_files: ["out/**"] }, declared_outputs: [{ path: "out/none.md" }] },
    code: "MISSING_OUTPUT",
  },
  "declared_outputs[].schema_id": {
    order: writing({ allowed_files: ["**"] }, { declared_outputs: [{ path: "notes/b.md", schema_id: "plan_v1" }] }),
    code: "ACCEPTANCE_FAILED",
  },
  "authorization.chain[].from": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].to": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].grants": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].work_order_id": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].order_hash": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].range.tools": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].range.files": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].range.read_files": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].range.hosts": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].range.usd": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].range.tokens": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].range.uses": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].range.expires_at": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].granted_at": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].expires_at": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].key_id": { elsewhere: "src/people/identity/identity.test.ts" },
  "authorization.chain[].signature": { order: chain({}), code: "NOT_AUTHORIZED" },
  parent_work_order_id: { order: { parent_work_order_id: "WO-20261119-001" }, code: "WORK_ORDER_INVALID" },
  work_id: { order: { work_id: "" }, code: "WORK_ORDER_INVALID" },
  idempotency_key: { order: { idempotency_key: "" }, code: "WORK_ORDER_INVALID" },
  schema_version: { order: { schema_version: "v3" }, code: "WORK_ORDER_INVALID" },
};

test("every property of a work order that is enforced has an order that breaks it", () => {
  const enforced = Object.entries(enforcers["work_order_v2"] ?? {}).filter(([, file]) => file !== "describes");
  expect(Object.keys(breaches).toSorted()).toEqual(enforced.map(([path]) => path).toSorted());
});

test("a property that takes more than one order to break is broken where it is said to be", () => {
  for (const [path, breach] of Object.entries(breaches)) {
    if (!("elsewhere" in breach)) continue;
    const name = path.split(".").at(-1) ?? "";
    const text = readFileSync(new URL(`../../${breach.elsewhere}`, import.meta.url), "utf8");
    expect([path, text.includes(name)]).toEqual([path, true]);
  }
});

describe("an order that breaks what it says of", () => {
  const tried = Object.entries(breaches).flatMap(([path, breach]) =>
    "elsewhere" in breach ? [] : [{ path, ...breach }],
  );
  test.each(tried)("$path is refused: $code", async ({ order, code, with: options }) => {
    const workspace: TestWorkspace = await testWorkspace({
      ...options,
      files: { "notes/a.md": "a note\n", ...options?.files },
    });
    onTestFinished(() => workspace[Symbol.asyncDispose]());
    const input = JSON.stringify(workOrder({ schema_version: "v2", input: inputs, ...order }));
    const { status, text } = await cliWith({ cwd: workspace.root, input }, "flow", "run", "-", "--json");
    const result = JSON.parse(text) as FlowResult;
    expect([status === 0, result.status === "success", result.error_code]).toEqual([false, false, code]);
  });

  test("its agent does the same where nothing it says of values is against it", async () => {
    const means = meaning({ sink: "secret", kind: "file" });
    for (const order of [valued({}), means, ruled({ when: "false" })]) {
      await using workspace = await testWorkspace(judging);
      expect(await workspace.order(order)).toMatchObject({ status: "success" });
    }
  });
});
