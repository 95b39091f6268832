// Each property of a framework, a grant, a turn and a configuration that is enforced, broken on purpose: none passes.
import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { ok } from "#core/values";
import type { FlowResult } from "#work";
import { readConfig } from "#workspace";
import { frameworkWorkspace, manifestFile } from "../support/framework-workspace.ts";
import { cli, cliWith } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const repository = new URL("../../", import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, repository), "utf8");
const enforcers = parse(textOf("schemas/enforcers.yaml")) as Record<string, Record<string, string>>;
const enforced = (contract: string): readonly string[] =>
  Object.entries(enforcers[contract] ?? {}).flatMap(([path, file]) => (file === "describes" ? [] : [path]));

/** A value at a path as the enforcers write it: `profiles.*.model`, `aperture[].to`. */
function at(path: string, value: unknown): Record<string, unknown> {
  const [head = "", ...rest] = path.split(".");
  const below = rest.length === 0 ? value : at(rest.join("."), value);
  const name = head === "*" ? "any" : head.replace("[]", "");
  return { [name]: head.endsWith("[]") ? [below] : below };
}

/** Breaches that take more than one document are tried in a file of their own, which has to speak of them. */
function sayElsewhere(all: Readonly<Record<string, { readonly elsewhere?: string }>>): void {
  for (const [path, { elsewhere }] of Object.entries(all))
    if (elsewhere !== undefined)
      expect([path, textOf(elsewhere).includes(path.split(".").at(-1) ?? "")]).toEqual([path, true]);
}

describe("a configuration", () => {
  const load = (document: object) =>
    readConfig("/w", {
      readText: () => Promise.resolve(ok(stringify(document))),
      list: () => Promise.resolve(ok([])),
      stat: () => Promise.resolve(ok(undefined)),
    });

  test.each(enforced("writ_config_v1"))("that breaks %s does not load, and the error names it", async (path) => {
    // No property of any contract takes a list of lists of lists.
    const loaded = await load(at(path, [[[]]]));
    expect(loaded.ok ? "it loads" : loaded.error.code).toBe("CONFIG_INVALID");
    expect(loaded.ok ? "" : JSON.stringify(loaded.error)).toContain(path.split(/[.[]/).find((part) => part !== ""));
    const misspelt = await load(at(`${path.replace(/\[\]$/, "")}_x`, 1));
    expect(misspelt.ok && !path.includes("*")).toBe(false);
  });
});

/** Every test, with its text. */
const tests = ["test", "src", "examples"].flatMap((folder) =>
  readdirSync(new URL(folder, repository), { recursive: true, encoding: "utf8" }).flatMap((name) =>
    /\.(test|case)\.ts$/.test(name) ? [textOf(`${folder}/${name}`)] : [],
  ),
);

test("every key of writ.yaml that is enforced is set by a test, which sees what it does", () => {
  const isSet = (path: string) => {
    const names = path.split(".").flatMap((part) => (part === "*" ? [] : [part.replace("[]", "")]));
    const [name = "", ...above] = names.toReversed();
    const set = new RegExp(`\\b${name}"?:|[{,]\\s*${name}\\s*[,}]|\\b${name} = `);
    return tests.some((text) => set.test(text) && above.every((each) => text.includes(each)));
  };
  expect(enforced("writ_config_v1").filter((path) => !isSet(path))).toEqual([]);
});

describe("a framework", () => {
  const write = (path: string) => ({ path, content: "x\n", expected_hash: "", why: "a test" });
  const calling = (tool: string, args: object, more: object = {}) => ({
    type: "tool-call",
    input: { tool, args },
    tool_permissions: [tool],
    scope: { allowed_files: ["**"], read_files: ["**"] },
    ...more,
  });
  interface Breach {
    readonly order?: object;
    readonly code?: string;
    readonly elsewhere?: string;
  }
  const breaches: Readonly<Record<string, Breach>> = {
    framework_id: { order: { framework_id: "FMWK-NONE" }, code: "FRAMEWORK_NOT_FOUND" },
    status: { elsewhere: "test/e2e/frameworks.test.ts" },
    ring: { elsewhere: "test/e2e/frameworks.test.ts" },
    plane_id: { elsewhere: "test/e2e/frameworks.test.ts" },
    assets: { elsewhere: "test/e2e/package-trials.test.ts" },
    expected_specs: { order: { spec_id: "SPEC-NONE-001" }, code: "WORK_ORDER_INVALID" },
    "invariants[].level": { elsewhere: "test/e2e/frameworks.test.ts" },
    "invariants[].statement": { elsewhere: "test/e2e/frameworks.test.ts" },
    "invariants[].expression": { order: { budget: { token_limit: 30_000 } }, code: "POLICY_DENIED" },
    path_authorizations: { order: calling("fs.write", write("notes/b.md")), code: "CAPABILITY_VIOLATION" },
    read_authorizations: { order: calling("fs.read", { path: "notes/a.md" }), code: "CAPABILITY_VIOLATION" },
    forbidden_files: { order: calling("fs.write", write("reports/private/b.md")), code: "CAPABILITY_VIOLATION" },
    // Of what a model asks for: a call that the order itself makes has the order's own values.
    values: { elsewhere: "test/injection/own-suite.test.ts" },
    required_gates: { elsewhere: "test/e2e/packages.test.ts" },
    agent_classes: { order: { agent_class: "ADMIN" }, code: "AGENT_CLASS_NOT_PERMITTED" },
    default_agent_class: { elsewhere: "test/e2e/frameworks.test.ts" },
    default_budget: { elsewhere: "test/e2e/order-promises.test.ts" },
    tools: { order: calling("echo", { text: "a" }), code: "TOOL_NOT_ALLOWED" },
    hosts: { elsewhere: "src/effects/turns/mandate-of-a-turn.test.ts" },
    models: { order: {}, code: "NOT_AUTHORIZED" },
    "approvals[].tools": { order: calling("fs.search", { pattern: "x" }), code: "APPROVAL_PENDING" },
    "approvals[].files": { order: calling("fs.write", write("reports/ask.md")), code: "APPROVAL_PENDING" },
    "approvals[].reason": { elsewhere: "test/e2e/broken-orders.test.ts" },
    "strategy.default": { elsewhere: "test/e2e/strategy.test.ts" },
    "strategy.review_when": { elsewhere: "test/e2e/strategy.test.ts" },
    strategies: { elsewhere: "test/e2e/written-strategies.test.ts" },
    prompt_contracts: { order: { prompt_contract_id: "PRC-ANSWER-001" }, code: "NOT_AUTHORIZED" },
    attention_templates: { order: { attention_template_id: "ATT-GENERAL-001" }, code: "NOT_AUTHORIZED" },
    schema_version: { elsewhere: "test/e2e/broken-orders.test.ts" },
  };

  test("has a breach for everything that is enforced of it", () => {
    expect(Object.keys(breaches).toSorted()).toEqual(enforced("framework_manifest_v2").toSorted());
    sayElsewhere(breaches);
  });

  test("refuses every order that breaks something of it, by the code of what is broken", async () => {
    const desk = await frameworkWorkspace();
    desk.edit(manifestFile, {
      schema_version: "v2",
      path_authorizations: ["reports/**"],
      read_authorizations: ["invoices/**"],
      forbidden_files: ["reports/private/"],
      tools: ["fs.*"],
      models: ["none"],
      approvals: [{ tools: ["fs.search"], files: ["reports/ask.md"], reason: "the test wants it" }],
      invariants: [{ level: "MUST", statement: "No order is large.", expression: "order.budget.token_limit <= 20000" }],
    });
    desk.write("notes/a.md", "a note\n");
    await desk.adopt();
    const refused: Record<string, unknown> = {};
    const wanted: Record<string, unknown> = {};
    for (const [path, { order, code }] of Object.entries(breaches)) {
      if (order === undefined) continue;
      const { status, json } = await desk.order(order);
      refused[path] = [status === 0, json.status === "success", json.error_code];
      wanted[path] = [false, false, code];
    }
    expect(refused).toEqual(wanted);
  });
});

describe("a grant", () => {
  interface Signed {
    readonly authorization: { readonly chain: readonly [Record<string, unknown>] };
  }
  let space: TestWorkspace;
  beforeAll(async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const laptop = publicKey.export({ type: "spki", format: "pem" }).toString();
    const callers = { "ada@corp": { roles: ["admin"], public_keys: { laptop } } };
    space = await testWorkspace({ config: { identity: { local_roles: ["viewer"], callers } } });
    await space.write("ada.pem", privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  });
  afterAll(() => space[Symbol.asyncDispose]());

  const writ = (piped: unknown, ...argv: readonly string[]) =>
    cliWith({ cwd: space.root, input: JSON.stringify(piped) }, ...argv);
  const signed = async (...more: readonly string[]): Promise<Signed> => {
    const rights = [
      "order.submit",
      "framework:FMWK-005",
      "class:RESIDENT",
      "tool:*",
      "path:notes/**",
      "tokens:*",
      "usd:*",
    ];
    const from = ["--from", "ada@corp", "--to", space.runtime.caller, "--key-id", "laptop", "--key", "ada.pem"];
    const order = workOrder({ schema_version: "v2" });
    const granted = await writ(order, "flow", "grant", "-", ...from, "--grant", ...rights, ...more);
    expect(granted.status, granted.errors).toBe(0);
    return JSON.parse(granted.text) as Signed;
  };
  const range = [
    "--uses",
    "9",
    "--days",
    "1",
    "--tools",
    "echo",
    "--files",
    "notes/**",
    "--read-files",
    "docs/**",
    "--usd",
    "1",
    "--tokens",
    "9000",
  ];

  /** What the signature covers, changed after it was signed. */
  const other: Readonly<Record<string, unknown>> = {
    from: "omar@corp",
    to: "omar@corp",
    grants: ["*"],
    work_order_id: "WO-20261115-999999",
    order_hash: "0".repeat(64),
    granted_at: "2020-01-01T00:00:00.000Z",
    expires_at: "2099-01-01T00:00:00.000Z",
    key_id: "desktop",
    signature: "AAAA",
    "range.tools": ["*"],
    "range.files": ["**"],
    "range.read_files": ["**"],
    "range.hosts": ["*"],
    "range.usd": 900,
    "range.tokens": 9_000_000,
    "range.uses": 900,
    "range.expires_at": "2099-01-01T00:00:00.000Z",
  };
  const paths = enforced("work_order_v2").flatMap((path) =>
    path.startsWith("authorization.chain[].") ? [path.slice("authorization.chain[].".length)] : [],
  );

  test("is good as it was signed, and is changed below in everything that is enforced of it", async () => {
    expect(Object.keys(other).toSorted()).toEqual(paths.toSorted());
    for (const more of [[], range]) {
      const run = await writ(await signed(...more), "flow", "run", "-", "--json");
      expect(JSON.parse(run.text)).toMatchObject({ status: "success" });
    }
  });

  test.each(paths)("that is changed in %s after it was signed is good for nothing", async (path) => {
    const order = structuredClone(await signed(...(path.startsWith("range.") ? range : [])));
    const [link] = order.authorization.chain;
    const [name = "", inner] = path.split(".");
    if (inner === undefined) link[name] = other[path];
    else link[name] = { ...(link[name] as object), [inner]: other[path] };
    const { status, text } = await writ(order, "flow", "run", "-", "--json");
    expect([status, (JSON.parse(text) as FlowResult).error_code]).toEqual([3, "NOT_AUTHORIZED"]);
  });
});

describe("a turn", () => {
  interface Breach {
    readonly turn?: object;
    readonly code?: string;
    readonly elsewhere?: string;
  }
  const rights = { read: ["notes/**"], write: ["out/**"], execute: ["sh *"] };
  const breaches: Readonly<Record<string, Breach>> = {
    session_id: { elsewhere: "test/e2e/turn-under-order.test.ts" },
    work_order_id: { elsewhere: "test/e2e/turn-under-order.test.ts" },
    package_id: { turn: { package_id: "PKG-NONE-001", capabilities: undefined }, code: "NOT_FOUND" },
    turn_number: { turn: { turn_number: 0 }, code: "SCHEMA_VIOLATION" },
    query: { turn: { query: undefined }, code: "SCHEMA_VIOLATION" },
    "declared_inputs[].path": { turn: { declared_inputs: [{ path: "src/a.ts" }] }, code: "CAPABILITY_VIOLATION" },
    "declared_outputs[].path": { turn: { declared_outputs: [{ path: "src/a.ts" }] }, code: "CAPABILITY_VIOLATION" },
    "declared_outputs[].action": {
      turn: { declared_outputs: [{ path: "out/a.md", action: "delete" }] },
      code: "MISSING_OUTPUT",
    },
    "declared_outputs[].expected_hash": {
      turn: { declared_outputs: [{ path: "out/a.md", expected_hash: "0".repeat(64) }] },
      code: "WRITE_CONFLICT",
    },
    "handler.command": { turn: { handler: { command: ["rm", "-r", "notes"] } }, code: "CAPABILITY_VIOLATION" },
    "handler.module": { turn: { handler: { module: "src/turn.mjs" } }, code: "CAPABILITY_VIOLATION" },
    capabilities: { elsewhere: "test/e2e/turn.test.ts" },
    "limits.timeout_seconds": {
      turn: { limits: { timeout_seconds: 1 }, handler: { command: ["sh", "-c", "sleep 9"] } },
      code: "TIMEOUT",
    },
    "limits.memory_mb": { elsewhere: "test/e2e/sandbox-limits.test.ts" },
    "limits.processes": { elsewhere: "test/e2e/sandbox-limits.test.ts" },
    "limits.open_files": { elsewhere: "test/e2e/sandbox-limits.test.ts" },
    "limits.output_bytes": { elsewhere: "test/e2e/sandbox-limits.test.ts" },
  };
  let space: TestWorkspace;
  beforeAll(async () => {
    space = await testWorkspace({ files: { "notes/a.md": "a\n", "src/a.ts": "let x;\n" } });
    await space.runtime.close();
  });
  afterAll(() => space[Symbol.asyncDispose]());

  test("has a breach for everything that is enforced of it", () => {
    expect(Object.keys(breaches).toSorted()).toEqual(enforced("turn_request_v1").toSorted());
    sayElsewhere(breaches);
  });

  const tried = Object.entries(breaches).flatMap(([path, { turn, code }]) => (turn ? [{ path, turn, code }] : []));
  test.each(tried)("that breaks $path is refused: $code", async ({ turn, code }) => {
    const whole = {
      package_id: "PKG-TEST-001",
      turn_number: 1,
      query: "write it",
      declared_inputs: [],
      declared_outputs: [{ path: "out/a.md" }],
      handler: { command: ["sh", "-c", "true"] },
      capabilities: rights,
      ...turn,
    };
    await space.write("turn.json", JSON.stringify(whole));
    const { status, text } = await cli(space.root, "turn", "exec", "turn.json", "--dev", "--json");
    const { error } = JSON.parse(text) as { readonly error: { readonly code: string } | null };
    expect([status === 0, error?.code]).toEqual([false, code]);
  });
});
