// What a turn may use, by `sandbox` of writ.yaml and by its own `limits`: each is set low and reached.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "#core/values";
import { cli, cliWith } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, type WorkspaceOptions, workOrder } from "../support/runtime-workspace.ts";

async function workspaceWith(options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const workspace = await testWorkspace(options);
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

const wide = { token_limit: 50_000, turn_limit: 20, timeout_seconds: 60 };

describe("a turn", () => {
  const mib = 2 ** 20;
  const forks =
    "for (1 .. 40) { my $child = fork(); die unless defined $child; if (!$child) { sleep 2; exit 0 } } 1 while wait() > 0";
  const held: readonly (readonly [name: string, config: object, limits: object, script: string])[] = [
    ["sandbox.memory_mib", { memory_mib: 64 }, {}, `my $x = "x" x (200 * ${mib}); print length $x`],
    ["limits.memory_mb", {}, { memory_mb: 64 }, `my $x = "x" x (200 * ${mib}); print length $x`],
    [
      "sandbox.open_files",
      { open_files: 32 },
      {},
      `my @h; for (1 .. 99) { open(my $f, "<", "/dev/null") or die; push @h, $f }`,
    ],
    [
      "limits.open_files",
      {},
      { open_files: 32 },
      `my @h; for (1 .. 99) { open(my $f, "<", "/dev/null") or die; push @h, $f }`,
    ],
    [
      "sandbox.output_bytes",
      { output_bytes: 4 * mib },
      {},
      `open(my $f, ">", "notes/big") or die; for (1 .. 16) { print $f "x" x ${mib} or die } close $f or die`,
    ],
    ["limits.output_bytes", {}, { output_bytes: 100 }, `print "x" x 5000`],
    ["limits.processes", {}, { processes: 8 }, forks],
    ["sandbox.processes", { processes: 8 }, {}, forks],
  ];

  test.each(held)("is held to %s", async (_, sandbox, limits, script) => {
    const turn = {
      package_id: "PKG-TEST-001",
      turn_number: 1,
      query: "do it",
      declared_inputs: [],
      declared_outputs: script.includes("notes/big") ? [{ path: "notes/big" }] : [],
      handler: { command: ["perl", "-e", script] },
      capabilities: { read: ["notes/**"], write: ["notes/**"], execute: ["perl"] },
    };
    const run = async (config: object, more: object) => {
      const workspace = await workspaceWith({ files: { "notes/a.md": "a\n" }, config: { sandbox: config } });
      await workspace.write("turn.json", JSON.stringify({ ...turn, ...more }));
      await workspace.runtime.close();
      const { text } = await cli(workspace.root, "turn", "exec", "turn.json", "--dev", "--json");
      const { status, result } = JSON.parse(text) as { status: string; result: { exit_code?: number } | null };
      return status === "ok" && (result?.exit_code ?? 0) === 0;
    };
    expect([await run({}, {}), await run(sandbox, { limits })]).toEqual([true, false]);
  });

  test("and what it left is kept for keep_quarantine_days and keep_scratch_hours", async () => {
    const workspace = await workspaceWith({
      rules: [
        {
          when: { call: 1 },
          respond: {
            tool_calls: [
              { name: "fs.write", args: { path: "notes/a.md", content: "x", expected_hash: "", why: "a test" } },
            ],
          },
        },
        { respond: { text: "done" } },
      ],
      config: { sandbox: { keep_quarantine_days: 2, keep_scratch_hours: 36 } },
    });
    const failed = await workspace.order({
      tool_permissions: ["fs.write"],
      scope: { allowed_files: ["notes/**"] },
      acceptance: { tests: ["false"], checks: [] },
      budget: wide,
    });
    expect(failed.quarantine_id).toBeDefined();
    await workspace.write(`tmp/${failed.session_id}/scratch.txt`, "left over\n");
    await workspace.runtime.close();
    /** What waits after a turn ran so many days later. */
    const after = async (days: number) => {
      const clock = { ...systemClock, now: () => systemClock.now() + days * 86_400_000 };
      const input = JSON.stringify(
        workOrder({
          type: "tool-call",
          input: { tool: "exec", args: { command: ["true"] } },
          tool_permissions: ["exec"],
        }),
      );
      expect((await cliWith({ cwd: workspace.root, input, clock }, "flow", "run", "-")).status).toBe(0);
      return ["planes/hot/turns/quarantine", "tmp"].flatMap((folder) =>
        readdirSync(join(workspace.root, folder)).filter((name) => name === failed.session_id),
      );
    };
    expect(await after(1)).toEqual([failed.quarantine_id, failed.session_id]);
    expect(await after(3)).toEqual([]);
  });
});
