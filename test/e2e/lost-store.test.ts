// The shared store can be lost; what it held is in the events, and no gate that lives in it opens.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Caller, SessionId } from "#core/values";
import type { FlowResult } from "#work";
import { built } from "../support/built.ts";
import { runChild } from "../support/child.ts";
import { cli } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";
import { writ, writJson } from "../support/writ.ts";

const place = mkdtempSync(join(tmpdir(), "writ-lost-store-"));
beforeAll(() => built());
afterAll(() => rmSync(place, { recursive: true, force: true }));

function lose(root: string): void {
  const folder = join(root, "planes/hot");
  for (const name of readdirSync(folder)) if (name.startsWith("store.db")) rmSync(join(folder, name));
}

const rebuilt = /^writ: the shared store \S+ was gone and is rebuilt from the events of \d+ sessions?: .*\n$/;

const numberOf = ({ work_order_id }: Ran): number => Number(work_order_id.split("-")[2]);

interface Ran {
  readonly work_order_id: string;
  readonly error: { readonly code: string } | null;
}

describe("what `rm planes/hot/store.db` opened, with processes of their own", () => {
  const cwd = join(place, "workspace");
  const order = join(cwd, "order.json");
  const flow = () => writJson<FlowResult>(["flow", "run", order], { cwd });
  let first: FlowResult;
  beforeAll(async () => {
    await cli(place, "init", cwd);
    writeFileSync(order, JSON.stringify(workOrder({ idempotency_key: "once" })));
    const rules = [{ respond: { text: "Hello, Ada", usage: { input_tokens: 150, output_tokens: 50 } } }];
    writeFileSync(join(cwd, "script.yaml"), JSON.stringify({ rules }));
    const workspace_budget = { token_limit: 5_100, period: "ever" };
    writeFileSync(join(cwd, "writ.yaml"), JSON.stringify({ version: 1, script: "script.yaml", workspace_budget }));
    first = (await flow()).json;
    expect(first.status).toBe("success");
  });

  test("an order that was carried out is not carried out again, whichever of two processes rebuilds", async () => {
    lose(cwd);
    const both = await Promise.all([flow(), flow()]);
    const { session_id, response } = first;
    for (const { json } of both) expect(json).toMatchObject({ session_id, response, deduplicated: true });
    expect(both.filter(({ stderr }) => rebuilt.test(stderr))).toHaveLength(1);
    expect(both.filter(({ stderr }) => stderr === "")).toHaveLength(1);
  });

  test("what was spent stays spent, and no number is given twice, also by a file without a byte", async () => {
    const submit = async () => {
      writeFileSync(join(cwd, "next.json"), JSON.stringify(workOrder()));
      return JSON.parse((await cli(cwd, "flow", "run", "next.json", "--json")).text) as FlowResult;
    };
    expect(await submit()).toMatchObject({ status: "rejected", error_code: "BUDGET_EXHAUSTED" });
    const ran = JSON.parse((await cli(cwd, "run", "greet Ada", "--json")).text) as Ran;
    lose(cwd);
    writeFileSync(join(cwd, "planes/hot/store.db"), "");
    const again = await writJson<Ran>(["run", "greet Ada"], { cwd });
    expect(again.stderr).toMatch(rebuilt);
    expect(numberOf(again.json)).toBe(numberOf(ran) + 1);
    expect(await submit()).toMatchObject({ status: "rejected", error_code: "BUDGET_EXHAUSTED" });
    // Of 5,100 tokens 200 are spent, not more: an order that may use the rest is taken.
    writeFileSync(join(cwd, "rest.json"), JSON.stringify(workOrder({ budget: { token_limit: 4_900, turn_limit: 1 } })));
    expect(JSON.parse((await cli(cwd, "flow", "run", "rest.json", "--json")).text)).toMatchObject({
      status: "success",
    });
  });

  test("a halt stands, one that was lifted does not, and a rebuild that was killed begins again", async () => {
    await cli(cwd, "halt", "--all", "--reason", "it was lifted");
    await cli(cwd, "halt", "--lift");
    await cli(cwd, "halt", first.session_id ?? "", "--reason", "that one");
    await cli(cwd, "halt", "--all", "--reason", "it smells");
    const before = JSON.parse((await cli(cwd, "halt", "--json")).text) as { halts: object[] };
    lose(cwd);
    const killed = await runChild("rebuild-child.mjs", { file: join(cwd, "planes/hot/store.db") });
    expect(killed.signal, killed.stderr).toBe("SIGKILL");
    const ran = await writJson<Ran>(["run", "greet Ada"], { cwd });
    expect(ran.stderr).toMatch(rebuilt);
    expect(ran.json.error?.code).toBe("HALTED");
    const after = JSON.parse((await cli(cwd, "halt", "--json")).text) as { halts: object[] };
    expect(after.halts).toHaveLength(2);
    for (const halt of before.halts) {
      const { halted_at: _, ...said } = halt as { halted_at: string };
      expect(after.halts).toContainEqual(expect.objectContaining(said));
    }
    expect((await writ(["halt", "--lift"], { cwd })).stderr).toBe("");
    lose(cwd);
    expect(JSON.parse((await cli(cwd, "halt", "--json")).text)).toEqual({ halts: [] });
  });

  test("where a session cannot be read nothing is opened, and the records are still shown", async () => {
    const session = join(cwd, "planes/ho1/sessions", first.session_id ?? "", ".events.jsonl");
    const whole = readFileSync(session, "utf8");
    writeFileSync(session, whole.replace('"actor":"budget"', '"actor":"nobody"'));
    lose(cwd);
    const refused = await cli(cwd, "run", "greet Ada");
    expect(refused.status).not.toBe(0);
    for (const part of ["is gone", first.session_id ?? "", "backup"]) expect(refused.errors).toContain(part);
    expect((await cli(cwd, "session", "list")).status).toBe(0);
    expect(readdirSync(join(cwd, "planes/hot"))).not.toContain("store.db");
    writeFileSync(session, whole);
    expect((await cli(cwd, "halt")).status).toBe(0);
  });
});

describe("what people decided", () => {
  const boss: Caller = { id: "boss@corp", roles: ["admin"], authenticatedBy: "local", grants: ["*"] };
  const refusing = {
    when: { role: "reviewer" },
    respond: { json: { verdict: "fail", feedback: "not good", issues: [], schema_version: "v1" } },
  };
  const open = (workspace: TestWorkspace) => workspace.runtime.inbox.list({ state: "open", limit: 10 });
  const loseOpened = async (workspace: TestWorkspace) => {
    await workspace.runtime.close();
    lose(workspace.root);
    await workspace.reopen();
  };

  test("an open question stays open as it was asked, a decided one decided; the session goes on with it", async () => {
    await using workspace = await testWorkspace({ rules: [refusing] });
    const { session_id } = await workspace.ask("greet Ada");
    const asked = await open(workspace);
    if (!asked.ok) throw new Error(asked.error.message);
    expect(asked.value).toHaveLength(1);
    await loseOpened(workspace);
    const again = await open(workspace);
    if (!again.ok) throw new Error(again.error.message);
    const [question] = asked.value;
    expect(again.value).toEqual([{ ...question, created_at: expect.any(String) }]);
    const { approval_id = "", subject_hash = "" } = question ?? {};
    const wish = { choice: "accept", subject_hash, reason: "good enough" };
    const decided = await workspace.runtime.inbox.decide(boss, approval_id, wish);
    if (!decided.ok) throw new Error(decided.error.message);
    await loseOpened(workspace);
    expect(await workspace.runtime.inbox.find(approval_id)).toEqual(
      decided.ok && {
        ok: true,
        value: { ...decided.value, created_at: expect.any(String) },
      },
    );
    expect(await workspace.runtime.resumeSession(session_id as SessionId)).toMatchObject({
      ok: true,
      value: { status: "success", session_id },
    });
  });

  test("API keys are known again, and those that were revoked stay revoked", async () => {
    await using workspace = await testWorkspace({
      config: { identity: { local_roles: ["admin"], callers: { "ci@corp": { roles: ["operator"] } } } },
    });
    const make = async () => {
      const { text } = await cli(workspace.root, "key", "create", "ci@corp", "--scope", "order.submit", "--json");
      return JSON.parse(text) as { readonly key: string; readonly key_id: string };
    };
    const [kept, gone] = [await make(), await make()];
    expect((await cli(workspace.root, "key", "revoke", gone.key_id)).status).toBe(0);
    const before = await workspace.runtime.keys.authenticate(kept.key);
    expect(before.ok).toBe(true);
    await loseOpened(workspace);
    expect(await workspace.runtime.keys.authenticate(kept.key)).toEqual(before);
    expect(await workspace.runtime.keys.authenticate(gone.key)).toMatchObject({
      ok: false,
      error: { code: "NOT_AUTHORIZED", message: expect.stringContaining("revoked") },
    });
  });
});
