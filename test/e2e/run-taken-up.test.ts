// What a person sees of a run in the terminal: the story, Ctrl-C in the middle of it, and how it goes on.
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock, systemRandom } from "#core/values";
import { runCli } from "#main";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await testWorkspace({
    files: { "notes/bees.md": "# Bees\n\nA hive of bees makes honey.\n\n## Winter\n\nBees keep the queen warm.\n" },
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

async function writ(argv: readonly string[], until?: RegExp): Promise<{ status: number; out: string; err: string }> {
  const pressed = new AbortController();
  const [out, err]: [string[], string[]] = [[], []];
  const output = (to: string[]) => ({
    write(text: string) {
      to.push(text);
      if (until?.test(text)) pressed.abort("SIGINT");
    },
    isTTY: false,
    columns: 120,
  });
  const status = await runCli([...argv, "--root", workspace.root], {
    stdout: output(out),
    stderr: output(err),
    env: { PATH: process.env["PATH"] ?? "" },
    cwd: workspace.root,
    clock: systemClock,
    random: systemRandom,
    signal: pressed.signal,
    version: "0.0.0",
  });
  return { status, out: out.join(""), err: err.join("") };
}

test("Ctrl-C leaves a run whole and says how to go on; taken up, it ends, and nothing was done twice", async () => {
  const start = ["runs", "start", "--app", "writer", "--objective", "What do bees do", "--wait"];
  const stopped = await writ(start, /asks for 1 piece of work/);
  expect(stopped.status, stopped.err).toBe(130);
  expect(stopped.out).toMatch(/^writ {2}RUN-\S+ · app writer\n\n {2}app {8}revision 1/);
  const [, short = ""] = /go on: writ runs watch (\S+) --work/.exec(stopped.out) ?? [];
  const open = JSON.parse((await writ(["runs", "show", short, "--json"])).out) as { run: { status: string } };
  expect(open.run.status).toBe("active");

  const ended = await writ(["runs", "watch", short, "--work"]);
  expect(ended.status, ended.err).toBe(0);
  expect(ended.out).toContain("A hive of bees makes honey.");
  expect(ended.out).toMatch(/done in \d+\.\d s · \d+ work items · \d+ revisions\n/);
  const shown = JSON.parse((await writ(["runs", "show", short, "--json"])).out) as Record<string, unknown[]>;
  expect(shown).toMatchObject({
    run: { status: "closed", close_reason: "completed", head_revision_id: expect.stringMatching(/^REV-/) },
    work_items: expect.arrayContaining([expect.objectContaining({ capability: "research", status: "completed" })]),
    patches: expect.arrayContaining([expect.objectContaining({ author_kind: "worker", ops: expect.any(Array) })]),
    revisions: expect.arrayContaining([expect.objectContaining({ parent_revision_id: null })]),
  });
  const { events } = JSON.parse((await writ(["runs", "events", short, "--json"])).out) as {
    events: { event_type: string; payload: { work_id?: string } }[];
  };
  const completed = events
    .filter(({ event_type }) => event_type === "work.completed")
    .map(({ payload }) => payload.work_id);
  expect(new Set(completed).size).toBe(completed.length);
  expect(await writ(["runs", "verify", "--all"])).toMatchObject({
    status: 0,
    out: expect.stringContaining("anchored up to"),
  });
  expect((await writ(["session", "verify", "--all"])).status).toBe(0);
});

test("what is asked of a run that is not there, or of an app that nobody has, is answered with the way out", async () => {
  const unknown = await writ(["runs", "start", "--app", "poet", "--objective", "o", "--wait"]);
  expect(unknown.status).toBe(2);
  expect(unknown.err).toContain("writer");
  expect((await writ(["runs", "watch", "RUN-nowhere"])).status).toBe(2);
  expect((await writ(["worker", "--lease", "0"])).err).toContain("--lease takes a number of seconds");
  expect((await writ(["runs", "verify"])).err).toContain("say which run to verify");
});
