// Sealed values across processes: a process killed before the effect, a fork, and the acts that an order itself names.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stringify } from "yaml";
import { type SessionId } from "#core/values";
import { cli } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";
import { filesWith, resultOf, type SealedModel, sealedModel } from "../support/sealed-model.ts";
import { writ } from "../support/writ.ts";

const password = "Tr0ub4dor-9-horses";
const url = `postgres://app:${password}@db:5432/app`;
const content = `url: ${url}\n`;

let model: SealedModel;
beforeEach(async () => {
  model = await sealedModel();
});
afterEach(() => model[Symbol.asyncDispose]());

const order = (more: object = {}) => ({
  tool_permissions: ["fs.read", "fs.write"],
  scope: { allowed_files: ["config/**", "other/**"] },
  budget: { token_limit: 50_000, turn_limit: 12, timeout_seconds: 60 },
  ...more,
});
const write = (path: string, text: string, expected_hash = "") => ({
  name: "fs.write",
  args: { path, content: text, expected_hash, why: "it was asked for" },
});
const read = (path: string) => ({ name: "fs.read", args: { path } });

const of = (events: Awaited<ReturnType<TestWorkspace["events"]>>, type: string) =>
  events.filter((event) => event.type === type).map(({ payload }) => payload as unknown as Record<string, unknown>);

test("a process killed between the answer and the effect: the next one writes the true bytes", async () => {
  await using workspace = await testWorkspace({
    config: {
      ...model.config,
      // The gate comes after the answer is recorded and before the call: there the whole process dies. Out of a sandbox no
      // process of Writ's can be killed, so the hook asks for the weaker tier.
      hooks: {
        PreToolUse: [
          { hooks: [{ type: "command", command: "sh hooks/kill.sh", id: "killer", rights: { tier: "T1" } }] },
        ],
      },
    },
    files: {
      // Upwards to the first process that is Writ's.
      "hooks/kill.sh": `test -e kill-it || exit 0
p=$PPID
while [ "$p" -gt 1 ] && ! grep -aq writ.js /proc/$p/cmdline; do p=$(cut -d' ' -f4 /proc/$p/stat); done
kill -9 $p
`,
    },
  });
  model.makes(write("config/app.yml", content));
  writeFileSync(join(workspace.root, "order.yaml"), stringify(workOrder(order())));
  writeFileSync(join(workspace.root, "kill-it"), "");
  await workspace.runtime.close();
  const killed = await writ(["flow", "run", "order.yaml"], { cwd: workspace.root });
  expect(killed.status, killed.stderr).toBeNull();
  expect(filesWith(workspace.root, password)).toEqual([]);
  rmSync(join(workspace.root, "kill-it"));
  const resumed = await writ(["session", "resume", "last", "--json"], { cwd: workspace.root });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ status: "success" });
  await workspace.reopen();
  expect(await workspace.read("config/app.yml")).toBe(content);
  expect(filesWith(workspace.root, password)).toEqual(["config/app.yml"]);
  expect(model.vendor.requests).toHaveLength(2); // the answer was not asked for again
});

test("a fork writes back what its parent read, and opens nothing that it did not repeat", async () => {
  await using workspace = await testWorkspace({ config: model.config, files: { "config/app.yml": content } });
  let hash = "";
  let seen = "";
  model.makes(read("config/app.yml"), (shown) => {
    const result = resultOf<{ hash: string; content: string }>(shown);
    [hash, seen] = [result.hash, result.content];
    return write("config/app.yml", result.content, "0".repeat(64)); // a conflict: the file stays as it is
  });
  const parent = await workspace.order(order());
  const events = await workspace.events(parent.session_id);
  const at = events.find(({ type }) => type === "tool.output")?.seq ?? 0;
  model.makes(() => write("config/app.yml", `# forked\n${seen}`, hash));
  const forked = await workspace.runtime.forkSession(parent.session_id as SessionId, { at });
  expect(forked.ok && forked.value).toMatchObject({ status: "success" });
  expect(await workspace.read("config/app.yml")).toBe(`# forked\n${content}`);
  // Forked before the file was read, it knows the handle's text and has no value for it.
  const early = events.find(({ type }) => type === "wo.started")?.seq ?? 0;
  model.makes(() => write("config/app.yml", seen, hash));
  const other = await workspace.runtime.forkSession(parent.session_id as SessionId, { at: early });
  const ended = other.ok ? other.value.session_id : undefined;
  expect(of(await workspace.events(ended), "tool.refused")).toMatchObject([{ code: "SEALED_VALUE_REFUSED" }]);
  expect(await workspace.read("config/app.yml")).toBe(`# forked\n${content}`);
});

test("a criterion of an order gets its arguments as they stand in the order", async () => {
  await using workspace = await testWorkspace({ config: model.config });
  model.makes();
  const command = ["/bin/sh", "-c", `test "$1" = "postgres://app:$2@db:5432/app"`, "sh", url];
  const split = password.split("-");
  const joined = { command: [...command, `${split[0]}-${split[1]}-${split[2]}`], name: "same" };
  const result = await workspace.order(order({ acceptance: { tests: [joined], checks: [] } }));
  const [checked] = of(await workspace.events(result.session_id), "acceptance.checked");
  const [gate] = (checked?.["gate_results"] ?? []) as { passed: boolean; message?: string }[];
  // Without a sandbox a criterion cannot be tried; it never runs with a marker.
  if (!gate?.message?.includes("SANDBOX")) expect(gate).toMatchObject({ passed: true });
  expect(filesWith(join(workspace.root, "planes"), url)).toEqual([]);
});

test("a secret of the order is in no file, and its handle is named where the order begins", async () => {
  await using workspace = await testWorkspace({ config: model.config });
  model.makes();
  const result = await workspace.order(order({ input: { prompt: `what is ${url}?` } }));
  const [started] = of(await workspace.events(result.session_id), "wo.started");
  expect(started).toMatchObject({ sealed: [{ kind: "connection-string" }] });
  expect(filesWith(workspace.root, password)).toEqual([]);
  const shown = await cli(workspace.root, "session", "show", String(result.session_id));
  expect(shown.text).not.toContain(password);
  expect(readFileSync(join(workspace.root, "writ.yaml"), "utf8")).not.toContain(password);
});
