// A Stop hook of Claude Code keeps an agent from ending here too, and tells it what is left to do.
import { expect, onTestFinished, test } from "vitest";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

async function stopping(...commands: readonly string[]): Promise<TestWorkspace> {
  const hooks = { Stop: [{ hooks: commands.map((command) => ({ type: "command", command })) }] };
  const workspace = await testWorkspace({
    config: { hooks: { read_claude_settings: true } },
    files: { ".claude/settings.json": JSON.stringify({ hooks }) },
  });
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

const once = `in=$(cat); case "$in" in *'"stop_hook_active":true'*) exit 0;; esac; `;
const typesOf = async (workspace: TestWorkspace, session_id: string | null | undefined, type: string) =>
  (await workspace.events(session_id)).filter((event) => event.type === type).map(({ payload }) => payload);

test.each([
  ["solo", "Name a colour"],
  ["plan-work-review", "greet Ada"],
])("what blocks is what the agent has left to do: %s", async (strategy, prompt) => {
  const workspace = await stopping(`${once}echo "run the tests first" >&2; exit 2`, "exit 1");
  const done = await workspace.ask(prompt, { strategy });
  expect(done).toMatchObject({ status: "success" });
  const asked = await typesOf(workspace, done.session_id, "hook.fired");
  const stops = asked.filter((fired) => (fired as { point: string }).point === "Stop");
  expect(stops).toMatchObject([{ decision: "allow", subject: "answer" }, { decision: "deny" }]);
  const requests = JSON.stringify(await typesOf(workspace, done.session_id, "llm.request"));
  expect(requests).toContain("run the tests first");
  expect(await workspace.runtime.verifySession(done.session_id as never)).toMatchObject({ ok: true });
});

test("it sees the last answer; JSON, context and a failing program block as they do there; silence ends the work", async () => {
  for (const [blocks, command] of [
    [false, "exit 0"],
    [false, "echo done"],
    [false, "exit 127"],
    [false, `${once}case "$in" in *'"last_assistant_message":"'?*) exit 0;; esac; exit 2`],
    [true, `${once}echo '{"decision":"block","reason":"left: the docs"}'`],
    [true, `${once}echo '{"decision":"block","reason":"left: the docs"}'; exit 1`],
    [true, `${once}echo '{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"left: the docs"}}'`],
  ] as const) {
    const workspace = await stopping(command);
    const done = await workspace.ask("Name a colour");
    expect([command, done.status]).toEqual([command, "success"]);
    const requests = await typesOf(workspace, done.session_id, "llm.request");
    expect([command, requests.length, JSON.stringify(requests).includes("left: the docs")]).toEqual([
      command,
      blocks ? 2 : 1,
      blocks,
    ]);
  }
});

test("one that never lets the work end is heard eight times, as there; without one no hook is asked", async () => {
  const endless = await stopping("echo again >&2; exit 2");
  const done = await endless.ask("Name a colour");
  expect(done).toMatchObject({ status: "success" });
  expect(await typesOf(endless, done.session_id, "llm.request")).toHaveLength(9);
  const plain = await stopping();
  const answered = await plain.ask("Name a colour");
  const points = (await typesOf(plain, answered.session_id, "hook.fired")).map(
    (fired) => (fired as { point: string }).point,
  );
  expect(points).not.toContain("Stop");
});
