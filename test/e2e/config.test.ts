import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writ } from "../support/resident-writ.ts";

const place = mkdtempSync(join(tmpdir(), "writ-config-"));
const workspace = join(place, "workspace");
beforeAll(() => writ(["init", workspace]));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const show = (yaml: string, env: Record<string, string> = {}) => {
  const root = mkdtempSync(join(place, "config-"));
  writeFileSync(join(root, "writ.yaml"), yaml);
  return writ(["config", "show", "--json", "--root", root], { env });
};

test("a misspelt key is refused with its line and the key that was meant", async () => {
  const { status, stderr, stdout } = await show("version: 1\n\nbudget:\n  token_limt: 5\n");
  expect(status).toBe(2);
  expect(stderr).toContain("writ.yaml:4");
  expect(stderr).toContain('unknown key "budget.token_limt"');
  expect(stderr).toContain('did you mean "token_limit"?');
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: "CONFIG_INVALID" } });
});

test("every mistake is told at once", async () => {
  const { stderr } = await show("provder: scripted\nstroe: x\nmax_concurrent_flows: many\n");
  expect(stderr).toContain("3 problems");
  for (const said of ['did you mean "provider"?', 'did you mean "store"?', "writ.yaml:3: max_concurrent_flows"].map(
    (text) => text,
  ))
    expect(stderr).toContain(said.split(": ").at(-1));
});

test("a key that stands twice, text that is no YAML, and a list instead of keys are refused with the line", async () => {
  expect((await show("profile: default\nprofile: default\n")).stderr).toContain("writ.yaml:2");
  expect((await show("a: [1\n")).status).toBe(2);
  expect((await show("- a\n")).status).toBe(2);
  expect((await show("&a [*a]\n")).status).toBe(2);
});

test("a literal API key is refused: the file holds references only", async () => {
  const { status, stderr } = await show("api_key: sk-live-12345\n");
  expect(status).toBe(2);
  expect(stderr).toContain("api_key");
});

test("each value names its origin: default, line of the file, environment", async () => {
  const { stdout } = await show(
    "max_concurrent_flows: 3\nlimits:\n  plan_steps: 7\nprofiles:\n  other: { provider: scripted }\n",
    { WRIT_PROFILE: "other" },
  );
  const { config, origins } = JSON.parse(stdout);
  expect(config).toMatchObject({
    max_concurrent_flows: 3,
    limits: { plan_steps: 7, rework_rounds: 2 },
    profile: "other",
  });
  expect(origins).toMatchObject({
    max_concurrent_flows: "writ.yaml:1",
    "limits.plan_steps": "writ.yaml:3",
    "limits.rework_rounds": "default",
    profile: "environment WRIT_PROFILE",
  });
});

test("secrets are not shown: passwords in addresses and literal values for MCP servers are covered", async () => {
  const { stdout } = await show(
    'store: "postgres://writ:hunter2@db/writ"\nmcp:\n  servers:\n    s: { command: x, env: { TOKEN: hunter2, REF: "${secret:A}" } }\n',
  );
  expect(stdout).not.toContain("hunter2");
  expect(stdout).toContain("${secret:A}");
});

test("--changed leaves the defaults out", async () => {
  const { stdout } = await writ(["config", "show", "--changed", "--root", workspace]);
  expect(stdout).toContain("max_concurrent_flows");
  expect(stdout).not.toContain("rework_rounds");
});
