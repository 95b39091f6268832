// Frameworks that people write: from `writ framework new` to an order under it, through the command line.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import type { StepStrategy } from "#work";
import {
  contractFile,
  framework_id,
  frameworkWorkspace,
  manifestFile,
  templateFile,
} from "../support/framework-workspace.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";

const requests = (events: readonly { readonly type: string; readonly payload: Record<string, unknown> }[]) =>
  events.filter(({ type }) => type === "llm.request").map(({ payload }) => JSON.stringify(payload["new_messages"]));

test("a framework is written, checked, adopted and worked under, and writing it again changes nothing", async () => {
  const place = await frameworkWorkspace();
  const before = readFileSync(join(place.root, manifestFile), "utf8");
  const again = await place.json<{ created: string[]; kept: string[] }>("framework", "new", framework_id);
  expect(again).toMatchObject({ status: 0, json: { created: [] } });
  expect(again.json.kept).toHaveLength(5);
  expect(readFileSync(join(place.root, manifestFile), "utf8")).toBe(before);

  const unadopted = await place.writ("framework", "check");
  expect(unadopted.status).toBe(1);
  expect(unadopted.stdout).toContain("writ pkg adopt");
  expect(unadopted.stdout).toContain(manifestFile);
  expect(await place.order()).toMatchObject({ status: 3, json: { error_code: "GATE_DENIED" } });

  await place.adopt();
  expect(await place.json("framework", "check")).toMatchObject({ status: 0, json: { ok: true, adoption: [] } });
  expect(await place.order()).toMatchObject({ status: 0, json: { status: "success", response: "done" } });
  expect(await place.json("framework", "list")).toMatchObject({
    json: { frameworks: expect.arrayContaining([expect.objectContaining({ framework_id, from: "workspace" })]) },
  });
  expect(await place.json("framework", "show", framework_id)).toMatchObject({
    json: { manifest: { schema_version: "v2" }, contracts: [{ contract_id: "PRC-INVOICE-001", parameters: [] }] },
  });

  // A change of what was adopted says how it is taken in, not only how it is undone.
  place.edit(manifestFile, { title: "Another" });
  const changed = await place.writ("framework", "check");
  expect(changed.status).toBe(1);
  expect(changed.stdout).toContain("writ pkg adopt takes the change in");
  expect((await place.writ("framework", "show", "FMWK-INVOYCE")).stderr).toContain("FMWK-INVOICE");
  expect((await place.writ("framework", "new", "invoice")).status).toBe(2);
  const taken = await place.writ("framework", "new", "FMWK-005");
  expect(taken).toMatchObject({ status: 2, stderr: expect.stringContaining("comes with Writ") });
});

test("a request of a person is asked under its framework's contract, with its parameters and its schema", async () => {
  const answers = ["plain words", '{"category":"invoice"}'];
  const place = await frameworkWorkspace({
    rules: answers.map((raw, index) => ({ when: { call: index + 1 }, respond: { raw } })),
  });
  place.edit(contractFile, {
    template: "{{prompt}} It is of {{vendor}}.",
    output_schema: { type: "object", required: ["category"], properties: { category: { enum: ["invoice", "other"] } } },
  });
  await place.adopt();
  const under = ["run", "What is the letter?", "--framework", framework_id];
  const nameless = await place.json<{ error: { code: string; message: string } }>(...under);
  expect(nameless).toMatchObject({ status: 3, json: { error: { code: "WORK_ORDER_INVALID" } } });
  expect(nameless.json.error.message).toContain("{{vendor}}");
  const asked = await place.json<{ session_id: string; output: string }>(...under, "--input", "vendor=Ada & Co");
  expect(asked).toMatchObject({ status: 0, json: { output: '{"category":"invoice"}' } });
  const [first, second] = requests(await place.events(asked.json.session_id));
  expect(first).toContain("What is the letter? It is of Ada & Co.");
  expect(second).toContain("not valid");
  for (const pair of ["vendor", "=x", "prompt=x"]) expect((await place.writ(...under, "--input", pair)).status).toBe(2);
  const suggested = await place.json<{ work_order: object }>(
    "flow",
    "suggest",
    "hi there",
    "--framework",
    framework_id,
  );
  expect(suggested.json.work_order).toMatchObject({ framework_id, spec_id: "SPEC-INVOICE-001" });
});

test("writ run --framework writes the order under it, and its limits hold", async () => {
  const place = await frameworkWorkspace({ rules: [] });
  place.edit(manifestFile, { tools: [] });
  await place.adopt();
  const ran = await place.json<{ session_id: string; status: string }>("run", "greet Ada", "--framework", framework_id);
  const started = (await place.events(ran.json.session_id)).find(({ type }) => type === "wo.started");
  expect(started?.payload).toMatchObject({ framework_id, work_order: { framework_id, spec_id: "SPEC-INVOICE-001" } });
  expect(ran.json.status).not.toBe("success"); // the skill's tool is not among the framework's
  expect(await place.writ("run", "greet Ada", "--framework", "FMWK-NONE")).toMatchObject({ status: 3 });
});

test("a parameter without a value refuses the order before anything is spent, whatever its spelling", async () => {
  const place = await frameworkWorkspace();
  place.edit(contractFile, { template: "{{prompt}}: pay {{vendorName}} at {{iban}}" });
  await place.adopt();
  for (const input of [
    { prompt: "go" },
    { prompt: "go", iban: "DE1" },
    { prompt: "go", vendorname: "x", iban: null },
  ]) {
    const refused = await place.order({ input });
    expect(refused).toMatchObject({ status: 3, json: { status: "rejected", error_code: "WORK_ORDER_INVALID" } });
    expect(refused.json.error).toMatch(/\{\{(iban|vendorName)\}\}/);
    expect(refused.json.tokens_used).toBeNull();
    expect(requests(await place.events(refused.json.session_id))).toEqual([]);
  }
  const paid = await place.order({ input: { prompt: "go", vendorName: "Ada & Co", iban: "DE1" } });
  expect(paid.json.status).toBe("success");
  expect(requests(await place.events(paid.json.session_id))[0]).toContain("pay Ada & Co at DE1");
  expect(await place.json("framework", "show", framework_id)).toMatchObject({
    json: { contracts: [{ parameters: ["vendorName", "iban"] }] },
  });
});

test("parameters stand in attention's paths and queries; one without a value, or with a pattern, reads nothing", async () => {
  const place = await frameworkWorkspace();
  place.write("invoices/a.txt", "Invoice A: 40 apples");
  place.write("invoices/b.txt", "Invoice B: 50 pears");
  place.edit(templateFile, {
    pipeline: [{ type: "file_read", name: "invoice", paths: ["invoices/{{invoice}}.txt"], missing: "fail" }],
  });
  await place.adopt();
  const scope = { allowed_files: [], read_files: ["invoices/**"] };
  const read = await place.order({ scope, input: { prompt: "classify", invoice: "a" } });
  expect(read.json.status).toBe("success");
  const [sent] = requests(await place.events(read.json.session_id));
  expect(sent).toContain("40 apples");
  expect(sent).not.toContain("50 pears");
  for (const invoice of [undefined, "*", "../notes/x", "{a,b}"]) {
    const refused = await place.order({ scope, input: { prompt: "classify", invoice } });
    expect(refused.json).toMatchObject({ error_code: "WORK_ORDER_INVALID", tokens_used: null });
    expect(requests(await place.events(refused.json.session_id))).toEqual([]);
  }
});

test("the contract that fits best is used, wherever it stands in the manifest, and a tie fails", async () => {
  const place = await frameworkWorkspace();
  const contract = (id: string, applies_to: object, template: string) =>
    place.write(
      `frameworks/${framework_id}/prompt_contracts/${id}.yaml`,
      stringify({ contract_id: id, version: "1.0.0", applies_to, template, schema_version: "v1" }),
    );
  const of = { frameworks: [framework_id] };
  contract("PRC-TYPED", { ...of, types: ["classify"] }, "typed: {{prompt}}");
  contract("PRC-WORKER", { types: ["plan-work-review"], roles: ["worker"] }, "for the worker: {{vendor}}");
  place.edit(manifestFile, { prompt_contracts: ["PRC-INVOICE-001", "PRC-TYPED", "PRC-WORKER"] });
  await place.adopt();
  const typed = await place.order({ type: "classify" });
  expect(requests(await place.events(typed.json.session_id))[0]).toContain("typed: classify");
  const plain = await place.order({ type: "answer" });
  expect(requests(await place.events(plain.json.session_id))[0]).not.toContain("typed");
  const asked = await place.order({ type: "classify", prompt_contract_id: "PRC-INVOICE-001" });
  expect(requests(await place.events(asked.json.session_id))[0]).not.toContain("typed");

  contract("PRC-OTHER", { ...of, types: ["classify", "sort"] }, "other: {{prompt}}");
  place.edit(manifestFile, { prompt_contracts: ["PRC-INVOICE-001", "PRC-TYPED", "PRC-OTHER"] });
  await place.adopt();
  const tied = await place.order({ type: "classify" });
  expect(tied.json).toMatchObject({ status: "failure", error_code: "CONFIG_INVALID", tokens_used: null });
  expect(tied.json.error).toContain("PRC-OTHER and PRC-TYPED");
  expect((await place.order({ type: "sort" })).json.status).toBe("success");
  const checked = await place.writ("framework", "check", framework_id);
  expect(checked).toMatchObject({ status: 1, stdout: expect.stringContaining("PRC-TYPED and PRC-OTHER") });
});

test("a contract reaches the role that it names in plan-work-review, with its parameters and its schema", async () => {
  const place = await frameworkWorkspace({
    rules: [
      {
        when: { role: "worker", call: 1 },
        respond: { json: { output: "nothing", steps_completed: ["s1"], schema_version: "v1" } },
      },
    ],
  });
  place.edit(contractFile, {
    applies_to: { frameworks: [framework_id], roles: ["worker"] },
    system: "You work for {{vendor}}.",
    template: "Vendor {{vendor}}. {{context}}",
    output_schema: { type: "object", properties: { output: { type: "string", pattern: "sorted" } } },
  });
  await place.adopt();
  const order = { type: "plan-work-review", skill: "greet", tool_permissions: ["echo"] };
  const refused = await place.order({ ...order, input: { prompt: "greet Ada" } });
  expect(refused.json).toMatchObject({ error_code: "WORK_ORDER_INVALID", tokens_used: null });
  const ran = await place.order({ ...order, input: { prompt: "greet Ada", vendor: "Ada & Co" } });
  const events = await place.events(ran.json.session_id);
  const byRole = (role: string) =>
    events.filter(({ type, payload }) => type === "llm.request" && payload["role"] === role);
  expect(JSON.stringify(byRole("worker")[0]?.payload)).toContain("You work for Ada & Co.");
  expect(byRole("worker")[0]?.payload["contract_id"]).toBe("PRC-INVOICE-001");
  expect(byRole("lead")[0]?.payload["contract_id"]).toBeNull();
  // The contract's own schema is held besides the role's: "nothing" was sent back.
  expect(events.filter(({ type }) => type === "schema.violation")[0]?.payload).toMatchObject({
    where: "output under PRC-INVOICE-001",
  });
});

test("the ring, the plane and the status of a framework are held", async () => {
  const place = await frameworkWorkspace();
  const trying = async (changes: Readonly<Record<string, unknown>>, order: object = {}) => {
    place.edit(manifestFile, changes);
    await place.adopt();
    return (await place.order(order)).json;
  };
  expect(await trying({}, { plane_id: "hot" })).toMatchObject({ status: "rejected", error_code: "NOT_AUTHORIZED" });
  expect(await trying({ plane_id: "ho2" }, { plane_id: "ho2" })).toMatchObject({ status: "success" });
  expect(await trying({ agent_classes: ["RESIDENT", "ADMIN"] })).toMatchObject({ error_code: "CONFIG_INVALID" });
  expect((await place.writ("framework", "check")).stdout).toContain("the ring resident permits RESIDENT");
  expect(await trying({ ring: "admin" })).toMatchObject({ status: "success" });
  expect(await trying({ default_agent_class: "KERNEL.semantic" })).toMatchObject({ error_code: "CONFIG_INVALID" });
  for (const status of ["draft", "retired"])
    expect(await trying({ status, default_agent_class: "RESIDENT" })).toMatchObject({
      status: "rejected",
      error_code: "FRAMEWORK_NOT_FOUND",
    });
});

test("an action that a strategy makes up is an error, not a prompt", async () => {
  const invented = { nextStep: () => ({ type: "send_mail", prompt: "x" }) } as unknown as StepStrategy;
  await using place = await testWorkspace({
    rules: [{ respond: { text: "sent" } }],
    strategies: { invented },
    config: { v2_features: { multi_step_enabled: true } },
  });
  const result = await place.order({ type: "invented" });
  expect(result).toMatchObject({ status: "failure", error_code: "CONFIG_INVALID", tokens_used: null });
  expect(result.error).toContain("send_mail");
});

test("an invariant of orders refuses one that breaks it before it starts", async () => {
  const place = await frameworkWorkspace();
  place.edit(manifestFile, {
    invariants: [
      { level: "MUST", statement: "Orders are small.", expression: "order.budget.token_limit <= 30000" },
      {
        level: "MUST NOT",
        statement: "Orders run programs.",
        expression: "order.tool_permissions.exists(t, t == 'exec')",
      },
    ],
  });
  await place.adopt();
  expect((await place.order({ tool_permissions: [] })).json.status).toBe("success");
  for (const broken of [
    { tool_permissions: [], budget: { token_limit: 40_000, turn_limit: 5 } },
    { tool_permissions: ["exec"] },
    {}, // an expression without a value holds nothing
  ]) {
    const refused = await place.order(broken);
    expect(refused).toMatchObject({ status: 3, json: { status: "rejected", error_code: "POLICY_DENIED" } });
    expect(requests(await place.events(refused.json.session_id))).toEqual([]);
  }
});

test("an invariant of outcomes fails the order, one that only should hold is a warning, and prose is an instruction", async () => {
  const place = await frameworkWorkspace({ rules: [{ respond: { text: "pay DE12345678901234567890" } }] });
  const must = {
    level: "MUST NOT",
    statement: "Answers hold account numbers.",
    expression: 'outcome.answer.matches("DE[0-9]{20}")',
  };
  const should = { level: "SHOULD", statement: "Answers are long.", expression: "outcome.answer.size() > 100" };
  const prose = { level: "MUST", statement: "Name the file that a statement rests on." };
  place.edit(manifestFile, { invariants: [must, should, prose] });
  await place.adopt();
  const failed = await place.order();
  expect(failed.json).toMatchObject({ status: "failure", error_code: "ACCEPTANCE_FAILED" });
  expect(failed.json.error).toContain("MUST NOT: Answers hold account numbers.");

  place.edit(manifestFile, { invariants: [should, prose], status: "deprecated" });
  await place.adopt();
  const warned = await place.order();
  expect(warned.json.status).toBe("success");
  const events = await place.events(warned.json.session_id);
  expect(events.find(({ type }) => type === "acceptance.checked")?.payload["gate_results"]).toEqual([
    {
      gate: `${framework_id} SHOULD: Answers are long.`,
      passed: true,
      message: "warning: it is false",
      details: { warning: true },
    },
    {
      gate: `${framework_id} status`,
      passed: true,
      message: `warning: ${framework_id} is deprecated`,
      details: { warning: true },
    },
  ]);
  expect(requests(events)[0]).toContain("MUST: Name the file that a statement rests on.");
  expect((await place.writ("session", "verify", warned.json.session_id ?? "")).status).toBe(0);

  for (const expression of ["outcome.anser == 'x'", "not an expression", "result.cost > 1"]) {
    place.edit(manifestFile, { invariants: [{ ...should, expression }] });
    await place.adopt();
    expect((await place.order()).json).toMatchObject({ error_code: "CONFIG_INVALID", tokens_used: null });
    expect((await place.writ("framework", "check")).stdout).toContain("invariants[0]");
  }
});

test("use_cached falls back on what the same order read before, and fails an order that has read nothing", async () => {
  const folder = "frameworks/FMWK-778";
  const template = (id: string, aperture: string, more: object) =>
    stringify({
      template_id: id,
      version: "1.0.0",
      title: id,
      applies_to: { aperture: [aperture] },
      on_limit: "use_cached",
      ...more,
      schema_version: "v1",
    });
  const reading = (path: string) => ({ type: "file_read", paths: [path] });
  const twice = { pipeline: [reading("a.md"), reading("b.md")], limits: { max_queries: 1 } };
  const files = {
    "a.md": "apples",
    "b.md": "pears",
    "registries/frameworks_registry.csv": `framework_id,title,status,version,plane_id,path\nFMWK-778,Mock,active,1.0.0,ho1,${folder}\n`,
    [`${folder}/manifest.yaml`]: stringify({
      framework_id: "FMWK-778",
      title: "Mock",
      version: "1.0.0",
      status: "active",
      ring: "resident",
      plane_id: "ho1",
      agent_classes: ["RESIDENT"],
      default_agent_class: "RESIDENT",
      prompt_contracts: ["PRC-MOCK-001"],
      attention_templates: ["ATT-OPEN", "ATT-CLOSING", "ATT-CLOSED"],
      path_authorizations: ["**"],
    }),
    [`${folder}/prompt_contracts/PRC-MOCK-001.yaml`]:
      'contract_id: PRC-MOCK-001\nversion: "1.0.0"\ntemplate: "{{context}} {{prompt}}"\n',
    [`${folder}/attention_templates/ATT-OPEN.yaml`]: template("ATT-OPEN", "open", { pipeline: [reading("a.md")] }),
    [`${folder}/attention_templates/ATT-CLOSING.yaml`]: template("ATT-CLOSING", "closing", twice),
    [`${folder}/attention_templates/ATT-CLOSED.yaml`]: template("ATT-CLOSED", "closed", twice),
  };
  const two: StepStrategy = {
    nextStep: (_, history) => (history.length < 2 ? { type: "send_prompt", prompt: "go" } : { type: "complete" }),
  };
  const order = {
    type: "two",
    framework_id: "FMWK-778",
    scope: { allowed_files: [], read_files: ["*.md"] },
    budget: { token_limit: 50_000, turn_limit: 5, timeout_seconds: 60 },
  };
  const features = { multi_step_enabled: true, aperture_enabled: true };
  const config = { v2_features: features, aperture: [{ to: "closing", after_steps: 1 }] };
  await using place = await testWorkspace({ rules: [{ respond: { text: "ok" } }], files, config, strategies: { two } });
  const result = await place.order(order);
  expect(result).toMatchObject({ status: "success" });
  const outcomes = (await place.events(result.session_id)).flatMap(({ type, payload }) =>
    type === "attention.assembled" ? [payload.outcome] : [],
  );
  expect(outcomes).toEqual(["complete", "cached"]);
  await using closed = await testWorkspace({ rules: [{ respond: { text: "ok" } }], files });
  expect(await closed.order({ ...order, type: "answer" })).toMatchObject({ error_code: "ATTENTION_LIMIT" });
});
