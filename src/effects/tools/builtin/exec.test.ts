import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ok, type ProcessOutcome, type ProcessRequest } from "#core/values";
import { builtinBench } from "../../../../test/support/builtin-bench.ts";
import { codeOf } from "../../../../test/support/tool-bench.ts";
import { workspaceWith } from "../../../../test/support/workspace.ts";

function fakeProcesses(end: ProcessOutcome["end"]) {
  const requests: ProcessRequest[] = [];
  return {
    requests,
    run: (request: ProcessRequest) => {
      requests.push(request);
      return Promise.resolve(ok({ end, stdout: "out", stderr: "err", durationMs: 3.2 }));
    },
  };
}

describe("exec", () => {
  test("is refused before it starts while there is no sandbox and the profile does not name it", async () => {
    const bench = builtinBench(workspaceWith());
    expect(codeOf(await bench.call("exec", { command: ["true"] }))).toBe("SANDBOX_UNAVAILABLE");
    expect(bench.types()).toEqual(["tool.refused"]);
    expect(bench.recorder.of("tool.refused")[0]?.reason).toContain("writ.yaml");
  });

  test("runs through the port with the named environment only, and a failing program is a result", async () => {
    const root = workspaceWith({ "src/a.ts": "" });
    const processes = fakeProcesses({ kind: "exited", code: 3 });
    const bench = builtinBench(root, { builtins: { processes, env: { PATH: "/bin" } } });
    const args = { command: ["ls", "-l", "$HOME"], cwd: "src", stdin: "hi", timeout_seconds: 2 };
    expect(await bench.give("exec", args)).toEqual({ exit_code: 3, stdout: "out", stderr: "err", duration_ms: 3 });
    const [request] = processes.requests;
    expect(request).toMatchObject({
      command: ["ls", "-l", "$HOME"],
      cwd: join(root, "src"),
      stdin: "hi",
      timeoutMs: 2000,
    });
    expect(request?.env).toEqual({ PATH: "/bin", WRIT_SESSION_ID: bench.recorder.session_id });
  });

  test.each([
    [{ kind: "timed_out" } as const, "TOOL_TIMEOUT"],
    [{ kind: "flooded" } as const, "TOOL_ERROR"],
    [{ kind: "killed", signal: "SIGSEGV" } as const, "TOOL_ERROR"],
    [{ kind: "canceled" } as const, "CANCELED"],
  ])("a program that %j is an error", async (end, code) => {
    const bench = builtinBench(workspaceWith(), { builtins: { processes: fakeProcesses(end) } });
    expect((await bench.use("exec", { command: ["x"] })).error?.code).toBe(code);
  });

  test("starts nowhere outside the workspace", async () => {
    const root = workspaceWith();
    symlinkSync("/", join(root, "out"));
    const processes = fakeProcesses({ kind: "exited", code: 0 });
    const bench = builtinBench(root, { builtins: { processes } });
    for (const cwd of ["..", "/", "out", "out/etc"])
      expect((await bench.use("exec", { command: ["x"], cwd })).error?.code).toBe("CAPABILITY_VIOLATION");
    expect((await bench.use("exec", { command: ["x\0y"] })).error?.code).toBe("MALFORMED_INPUT");
    expect(processes.requests).toEqual([]);
  });
});
