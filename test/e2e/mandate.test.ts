// Every limit that an order states is held, tried from outside with the limit broken on purpose.
import { describe, expect, onTestFinished, test } from "vitest";
import type { FlowResult } from "#work";
import { cliWith } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, type WorkspaceOptions, workOrder } from "../support/runtime-workspace.ts";

async function workspaceWith(options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const workspace = await testWorkspace(options);
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

/** `writ flow run - --json`. */
async function flowRun(workspace: TestWorkspace, changes: object): Promise<{ status: number; result: FlowResult }> {
  const input = JSON.stringify(workOrder(changes));
  const { status, text } = await cliWith({ cwd: workspace.root, input }, "flow", "run", "-", "--json");
  return { status, result: JSON.parse(text) as FlowResult };
}

const files = { "notes/payroll.csv": "ada,1\n", "notes/a.md": "a note\n", "src/a.ts": "let x;\n" };

/** An order of one tool call, without a model. */
const calling = (tool: string, args: object, scope: object) => ({
  type: "tool-call",
  scope,
  input: { tool, args },
  tool_permissions: [tool],
});

const write = (path: string) => ({ path, content: "x\n", expected_hash: "", why: "a test" });

describe("files", () => {
  const scope = { allowed_files: ["notes/**"], forbidden_files: ["notes/payroll.csv", "notes/private/"] };

  test.each([
    ["read", "fs.read", { path: "notes/payroll.csv" }],
    ["read by another case", "fs.read", { path: "notes/PAYROLL.csv" }],
    ["overwritten", "fs.write", { ...write("notes/payroll.csv"), expected_hash: "0".repeat(64) }],
    ["made below a forbidden folder", "fs.write", write("notes/private/deep/a.md")],
  ])("what is forbidden is not %s, whatever else is allowed", async (_, tool, args) => {
    const workspace = await workspaceWith({ files });
    const { status, result } = await flowRun(workspace, calling(tool, args, scope));
    expect([status, result.error_code]).toEqual([3, "CAPABILITY_VIOLATION"]);
    expect(result.error).toContain("(scope.forbidden_files) forbids");
    expect(await workspace.read("notes/payroll.csv")).toBe("ada,1\n");
  });

  test.each([
    ["nothing", {}],
    ["no files", { allowed_files: [] }],
    ["other files", { allowed_files: ["notes/**"], read_files: ["docs/**"] }],
  ])("an order that allows %s does not read a file", async (_, narrow) => {
    const workspace = await workspaceWith({ files });
    const { result } = await flowRun(workspace, calling("fs.read", { path: "src/a.ts" }, narrow));
    expect(result.error_code).toBe("CAPABILITY_VIOLATION");
    expect(result.error).toContain("(scope.read_files) names");
  });

  test("read_files are read and not written", async () => {
    const workspace = await workspaceWith({ files });
    const readOnly = { allowed_files: ["out/**"], read_files: ["src/**"] };
    const read = await flowRun(workspace, calling("fs.read", { path: "src/a.ts" }, readOnly));
    expect(read.result).toMatchObject({ status: "success" });
    const written = await flowRun(workspace, calling("fs.write", write("src/b.ts"), readOnly));
    expect(written.result.error).toContain("(scope.allowed_files) names out/**");
  });

  test.each(["fs.list", "fs.search"])("%s shows only what may be read", async (tool) => {
    const workspace = await workspaceWith({ files });
    const args = tool === "fs.search" ? { pattern: "." } : {};
    const { result } = await flowRun(workspace, calling(tool, args, scope));
    expect(result.status).toBe("success");
    expect(result.response).toContain("notes/a.md");
    expect(result.response).not.toContain("payroll");
    expect(result.response).not.toContain("a.ts");
  });

  test("a program sees only what may be read", async () => {
    const workspace = await workspaceWith({ files });
    const look = { command: ["/bin/sh", "-c", "cat notes/a.md; cat notes/payroll.csv src/a.ts; ls src"] };
    const { result } = await flowRun(workspace, calling("exec", look, scope));
    expect(result.response).toContain("a note");
    expect(result.response).not.toContain("ada,1");
    expect(result.response).not.toContain("let x");
  });
});

test("a program outside the sandbox runs only under an order that limits no file and no host, for nothing would hold it", async () => {
  const config = { tools: { allow: ["exec"] } };
  const look = { command: ["/bin/sh", "-c", "cat notes/payroll.csv; echo x >out.txt"] };
  const workspace = await workspaceWith({ files, config });
  const whole = { allowed_files: ["**"], read_files: ["**"] };
  for (const [narrow, clause] of [
    [{ ...whole, allowed_files: [] }, "scope.allowed_files"],
    [{ ...whole, forbidden_files: ["notes/payroll.csv"] }, "scope.forbidden_files"],
    [{ ...whole, hosts: ["example.org"] }, "scope.hosts"],
  ] as const) {
    const { status, result } = await flowRun(workspace, { ...calling("exec", look, narrow), schema_version: "v2" });
    expect([status, result.error_code]).toEqual([3, "CAPABILITY_VIOLATION"]);
    expect(result.error).toContain(clause);
    expect(await workspace.read("out.txt").catch(() => "nothing")).toBe("nothing");
  }
  const { result } = await flowRun(workspace, calling("exec", look, whole));
  expect(result).toMatchObject({ status: "success", response: expect.stringContaining("ada,1") });
});

describe("tools", () => {
  const echo = (text: string) => ({ tool_calls: [{ name: "echo", args: { text } }] });
  /** A model that calls echo with each of the words, then answers. */
  const saying = (...words: readonly string[]) => [
    ...words.map((word, index) => ({ when: { call: index + 1 }, respond: echo(word) })),
    { when: {}, respond: { text: "done" } },
  ];
  const outcomes = async (workspace: TestWorkspace, permission: object, more: object = {}) => {
    const { result } = await flowRun(workspace, {
      type: "answer",
      tool_permissions: [permission],
      budget: { token_limit: 50_000, turn_limit: 10, timeout_seconds: 60 },
      ...more,
    });
    const events = await workspace.events(result.session_id);
    return {
      result,
      ran: events.flatMap(({ type, payload }) =>
        type === "tool.invoke" ? [(payload.args as { text: string }).text] : [],
      ),
      refused: events.flatMap(({ type, payload }) => (type === "tool.refused" ? [payload] : [])),
    };
  };

  test("max_calls holds for the whole order", async () => {
    const workspace = await workspaceWith({ rules: saying("a", "b", "c") });
    const { ran, refused } = await outcomes(workspace, { tool: "echo", max_calls: 1 });
    expect(ran).toEqual(["a"]);
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({
      code: "TOOL_NOT_ALLOWED",
      clauses: [{ document: expect.stringContaining("work order WO-"), path: "tool_permissions[0]" }],
    });
  });

  test("args_schema admits these arguments and no others", async () => {
    const workspace = await workspaceWith({ rules: saying("a", "b", "a") });
    const args_schema = { type: "object", properties: { text: { const: "a" } } };
    const { ran, refused } = await outcomes(workspace, { tool: "ec*", args_schema });
    expect(ran).toEqual(["a", "a"]);
    expect(refused).toMatchObject([{ code: "TOOL_NOT_ALLOWED" }]);
    expect(refused[0]?.reason).toContain("does not admit these arguments");
  });

  test("an args_schema that is not there is refused before anything is sent", async () => {
    const workspace = await workspaceWith({ rules: saying("a") });
    const { result, ran } = await outcomes(workspace, { tool: "echo", args_schema: "no.such_v1" });
    expect([result.status, result.error_code, ran]).toEqual(["rejected", "WORK_ORDER_INVALID", []]);
  });

  test("a call that the order wants approved waits for a person", async () => {
    const workspace = await workspaceWith({ rules: saying("a") });
    const { result, ran } = await outcomes(workspace, "echo" as never, {
      schema_version: "v2",
      approvals: [{ tools: ["echo"], reason: "words leave the house" }],
    });
    expect([result.status, ran]).toEqual(["waiting", []]);
    const inbox = await cliWith({ cwd: workspace.root }, "inbox", "--json");
    expect(inbox.text).toContain("words leave the house");
  });
});

test("an order goes on under the limits that it began with, whatever writ.yaml says by then", async () => {
  const rules = [{ when: { call: 1 }, respond: { tool_calls: [{ name: "echo", args: { text: "a" } }] } }];
  const config = { budget: { token_limit: 9_000, turn_limit: 9 } };
  const workspace = await workspaceWith({ rules: [...rules, { respond: { text: "done" } }], config });
  const { result } = await flowRun(workspace, {
    tool_permissions: ["echo"],
    approvals: [{ tools: ["echo"], reason: "the test stops here" }],
    schema_version: "v2",
    budget: {},
  });
  expect(result).toMatchObject({ status: "waiting" });
  const law = await workspace.read("writ.yaml");
  await workspace.write("writ.yaml", law.replace("token_limit: 9000", "token_limit: 30"));
  await workspace.reopen();
  const asked = await workspace.runtime.inbox.list({ session_id: String(result.session_id), limit: 1 });
  await workspace.runtime.close();
  const approval_id = asked.ok ? String(asked.value[0]?.approval_id) : "";
  expect((await cliWith({ cwd: workspace.root }, "inbox", "approve", approval_id)).status).toBe(0);
  const resumed = await cliWith({ cwd: workspace.root }, "session", "resume", String(result.session_id), "--json");
  expect(JSON.parse(resumed.text)).toMatchObject({ status: "success", response: "done" });
  await workspace.reopen();
  const { result: fresh } = await flowRun(workspace, { budget: {} });
  expect(fresh.error).toContain("(budget.token_limit in writ.yaml)");
});

test("a model that the order does not name is not called, also where the profile has it", async () => {
  const workspace = await workspaceWith({});
  const scope = { models: ["claude-*"] };
  const { status, result } = await flowRun(workspace, { schema_version: "v2", scope });
  expect([status, result.error_code]).toEqual([3, "NOT_AUTHORIZED"]);
  expect(result.error).toContain("(scope.models) names claude-*");
  const named = await flowRun(workspace, { schema_version: "v2", scope: { models: ["*"] } });
  expect(named.result.status).toBe("success");
});

test("delegation goes as deep and as wide as the order says, and no further", async () => {
  const workspace = await workspaceWith({
    config: { v2_features: { delegation_enabled: true, multi_step_enabled: true } },
    rules: [
      { when: { call: 1 }, respond: { json: { tasks: ["a", "b"] } } },
      { when: {}, respond: { text: "done" } },
    ],
  });
  const splitting = (delegation: object) =>
    flowRun(workspace, {
      schema_version: "v2",
      type: "decompose",
      plane_id: "ho2",
      delegation,
      budget: { token_limit: 50_000, turn_limit: 10, timeout_seconds: 60 },
    });
  const deep = await splitting({ max_depth: 0 });
  expect(deep.result.error).toContain("(delegation.max_depth)");
  const wide = await splitting({ max_children: 1 });
  expect(wide.result.error).toContain("2 orders handed down in all, at most 1 are allowed");
  expect(wide.result.error).toContain("(delegation.max_children)");
});

test("a program is started only if the order names it, and writes that want approval wait for a person", async () => {
  const workspace = await workspaceWith({ files });
  const started = (command: readonly string[], more: object = {}) =>
    flowRun(workspace, {
      ...calling("exec", { command }, { allowed_files: ["notes/**"], programs: ["/bin/echo *", "/bin/sh *"] }),
      schema_version: "v2",
      ...more,
    });
  expect((await started(["/bin/echo", "a/b"])).result.status).toBe("success");
  const refused = await started(["/bin/cat", "notes/a.md"]);
  expect([refused.result.error_code, refused.result.error]).toEqual([
    "CAPABILITY_VIOLATION",
    expect.stringContaining("(scope.programs) names"),
  ]);
  const approvals = [{ files: ["notes/b.md"], reason: "b is read by others" }];
  const asked = await started(["/bin/sh", "-c", "echo x > notes/b.md"], { approvals });
  expect(asked.result.status).not.toBe("success");
  await expect(workspace.read("notes/b.md")).rejects.toThrow();
});

test("an act outside the order is news: in the result, the list, the story, with what was read just before", async () => {
  const workspace = await workspaceWith({
    files,
    rules: [
      { when: { call: 1 }, respond: { tool_calls: [{ name: "fs.read", args: { path: "notes/a.md" } }] } },
      { when: { call: 2 }, respond: { tool_calls: [{ name: "fs.read", args: { path: "notes/payroll.csv" } }] } },
      { when: {}, respond: { text: "done" } },
    ],
  });
  const order = {
    scope: { read_files: ["notes/**"], forbidden_files: ["notes/payroll.csv"] },
    tool_permissions: ["fs.read"],
    budget: { token_limit: 50_000, turn_limit: 10, timeout_seconds: 60 },
  };
  const { status, result } = await flowRun(workspace, order);
  expect([status, result.status]).toEqual([0, "success"]);
  expect(result.refused_acts).toMatchObject([
    {
      tool: "fs.read",
      code: "CAPABILITY_VIOLATION",
      clauses: [{ path: "scope.forbidden_files" }],
      after_reading: expect.arrayContaining(["fs.read notes/a.md"]),
    },
  ]);
  const listed = await cliWith({ cwd: workspace.root }, "session", "list");
  expect(listed.text).toContain("! 1 refused");
  const told = await cliWith({ cwd: workspace.root, input: JSON.stringify(workOrder(order)) }, "flow", "run", "-");
  expect(told.text).toContain("1 act outside the order refused");
  expect(told.text).toContain("read just before the first: ");
  expect(told.text).not.toMatch(/add it|grant it|allow it/);
});

describe("a breach attempt is news", () => {
  const rules = [
    { when: { call: 1 }, respond: { tool_calls: [{ name: "fs.read", args: { path: "notes/a.md" } }] } },
    { when: { call: 2 }, respond: { tool_calls: [{ name: "fs.read", args: { path: "notes/payroll.csv" } }] } },
    { when: {}, respond: { text: "done" } },
  ];
  const order = {
    scope: { read_files: ["notes/**"], forbidden_files: ["notes/payroll.csv"] },
    tool_permissions: ["fs.read"],
    budget: { token_limit: 50_000, turn_limit: 10, timeout_seconds: 60 },
  };
  interface Waiting {
    readonly approvals: readonly {
      approval_id: string;
      kind: string;
      title: string;
      reason: string;
      subject: object;
    }[];
  }
  const inboxOf = async ({ root }: TestWorkspace) =>
    JSON.parse((await cliWith({ cwd: root }, "inbox", "--json")).text) as Waiting;

  test("in the inbox, where it is acknowledged and grants nothing; submitted again it is no further news", async () => {
    const workspace = await workspaceWith({ files, rules });
    const submitted = workOrder(order);
    const run = () => cliWith({ cwd: workspace.root, input: JSON.stringify(submitted) }, "flow", "run", "-", "--json");
    const { session_id } = JSON.parse((await run()).text) as FlowResult;
    const { approvals } = await inboxOf(workspace);
    expect(approvals).toMatchObject([
      {
        kind: "refused_acts",
        title: "An agent tried an act outside its order: fs.read",
        reason: expect.stringContaining("It had just read fs.read notes/a.md."),
        subject: { session_id, acts: [{ tool: "fs.read", code: "CAPABILITY_VIOLATION" }] },
      },
    ]);
    await run();
    expect((await inboxOf(workspace)).approvals).toHaveLength(1);
    const seen = await cliWith({ cwd: workspace.root }, "inbox", "approve", approvals[0]?.approval_id ?? "");
    expect([seen.status, (await inboxOf(workspace)).approvals]).toEqual([0, []]);
    const shown = await cliWith({ cwd: workspace.root }, "session", "show", String(session_id));
    expect(shown.text).toContain("1 act outside the order");
  });

  test("not in the inbox when a person made the call; the first advice is never to widen", async () => {
    const workspace = await workspaceWith({ files });
    const input = JSON.stringify(workOrder(calling("fs.read", { path: "src/a.ts" }, { read_files: ["notes/**"] })));
    const told = await cliWith({ cwd: workspace.root, input }, "flow", "run", "-");
    expect(told.text).toContain("see first why it was asked for");
    expect((await inboxOf(workspace)).approvals).toEqual([]);
  });

  test("of a child, also in its parent's result and in the list", async () => {
    const workspace = await workspaceWith({
      files,
      config: { v2_features: { multi_step_enabled: true, delegation_enabled: true } },
      rules: [
        {
          when: { prompt: "^look$", call: 1 },
          respond: { json: { delegate: [{ prompt: "read it", token_limit: 5000 }] } },
        },
        {
          when: { prompt: "^read it$", call: 1 },
          respond: { tool_calls: [{ name: "fs.read", args: { path: "notes/payroll.csv" } }] },
        },
        { respond: { text: "done" } },
      ],
    });
    const { result } = await flowRun(workspace, {
      ...order,
      type: "delegate",
      input: { prompt: "look" },
      delegation: { max_depth: 1 },
      schema_version: "v2",
    });
    expect([result.status, result.error]).toEqual(["success", null]);
    expect(result.refused_acts).toMatchObject([{ tool: "fs.read", clauses: [{ path: "scope.forbidden_files" }] }]);
    expect((await inboxOf(workspace)).approvals).toHaveLength(1);
  });
});

test("the mandate stands in wo.started, is what its hash says, and `flow explain` shows it before anything runs", async () => {
  const workspace = await workspaceWith({ files });
  const order = workOrder({ scope: { read_files: ["notes/**"], forbidden_files: ["notes/payroll.csv"] } });
  const input = JSON.stringify(order);
  const explained = await cliWith({ cwd: workspace.root, input }, "flow", "explain", "-", "--json");
  const { mandate, mandate_hash } = JSON.parse(explained.text) as { mandate: object; mandate_hash: string };
  expect(mandate).toMatchObject({
    forbidden: [{ document: expect.stringContaining("work order WO-"), path: "scope.forbidden_files" }],
    limits: { token_limit: { document: expect.stringContaining("work order WO-"), path: "budget.token_limit" } },
  });
  const ran = await cliWith({ cwd: workspace.root, input }, "flow", "run", "-", "--json");
  const { session_id } = JSON.parse(ran.text) as FlowResult;
  const started = (await workspace.events(session_id)).find(({ type }) => type === "wo.started");
  expect(started?.payload).toMatchObject({ mandate, mandate_hash });
});
