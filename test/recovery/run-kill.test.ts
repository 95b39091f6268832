// A run of the writer over processes of their own, the model behind a socket. The app is killed while it thinks, a worker
// while it works, the conductor while it waits: the run ends as the undisturbed one did, and no question that was
// answered is asked again.

import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sleep, systemClock, systemRandom } from "#core/values";
import { openKernel } from "../../src/runs/open-kernel.ts";
import { verifyRuns } from "../../src/runs/runs-anchored.ts";
import { bareEnvironment } from "../support/bare-environment.ts";
import { built } from "../support/built.ts";
import { type CountingModel, countingModel } from "../support/counting-model.ts";
import { must } from "../support/kernel-harness.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";
import { contractOf, scriptedMind } from "../support/scripted-mind.ts";
import { repository } from "../support/writ.ts";

type Messages = Parameters<typeof scriptedMind>[0];

const answered = new Map<string, number>();
let model: CountingModel;
let workspace: TestWorkspace;
/** Called before a question is answered; what it throws away stays unanswered. */
let onQuestion: (contract: string, messages: Messages) => Promise<void> = () => Promise.resolve();
const children = new Set<ChildProcess>();

beforeAll(async () => {
  built();
  model = await countingModel(async (messages) => {
    await onQuestion(contractOf(messages), messages);
    const key = JSON.stringify(messages);
    answered.set(key, (answered.get(key) ?? 0) + 1);
    return scriptedMind(messages);
  });
  workspace = await testWorkspace({
    config: {
      provider: "openai-compatible",
      model: "m",
      base_url: model.baseUrl,
      max_output_tokens: 8_000,
      max_concurrent_flows: 4,
    },
    files: {
      "notes/hives.md": "# Hives\n\nA hive is a box in which bees live. Bees build combs in the hive.\n",
      "notes/honey.md": "# Honey\n\nBees make honey from nectar. A hive gives twenty kilograms of honey.\n",
    },
  });
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await model?.[Symbol.asyncDispose]();
  await workspace?.[Symbol.asyncDispose]();
});

// The lease is long enough that only the dead lose theirs: who loses it while he lives asks again, and rightly.
const start = (...args: string[]): ChildProcess => {
  const child = spawn(
    process.execPath,
    [`${repository}bin/writ.js`, ...args, "--root", workspace.root, "--lease", "3"],
    {
      env: bareEnvironment(),
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  children.add(child);
  return child;
};
const conduct = () => start("conductor", "--app", "writer");
// One question at a time: an answer that is on its way to a process that dies is no recorded answer, and may be asked for again.
const work = () => start("worker", "--capability", "research", "--concurrency", "1");
const kill = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });

/** Opens a run and waits until those who work at it have closed it. */
async function runToEnd(objective: string): Promise<{ readonly document: string; readonly events: readonly string[] }> {
  const { kernel, documents, close } = must(
    await openKernel({ root: workspace.root, clock: systemClock, random: systemRandom }),
  );
  try {
    const { run_id } = must(await kernel.startRun({ app_id: "writer", objective, actor_id: "ada" }));
    for (let waited = 0; must(await kernel.read.run(run_id)).status !== "closed"; waited++) {
      if (waited > 3_000) throw new Error("the run does not end");
      await sleep(systemClock, 50);
    }
    const run = must(await kernel.read.run(run_id));
    expect(run, run.close_message).toMatchObject({ close_reason: "completed" });
    const [verdict] = must(await verifyRuns({ root: workspace.root, kernel, documents }, run_id));
    expect(verdict?.violations).toEqual([]);
    const head = must(await kernel.read.revision(run_id, run.head_revision_id ?? ""));
    const text = new TextDecoder().decode(must(await documents.get(head.document_ref.sha256)));
    const events = must(await kernel.read.events(run_id, { after: 0, limit: 10_000 }));
    // Footnotes are named after their work item, which has another name in every run.
    return { document: text.replaceAll(/\[\^[0-9a-z]{6}-/g, "[^"), events: events.map((event) => event.event_type) };
  } finally {
    await close();
  }
}

test("app, worker and conductor killed in turn: the run ends as if undisturbed, and nobody is asked twice", async () => {
  const objective = "What are hives and honey";
  let conductor = conduct();
  let worker = work();
  const undisturbed = await runToEnd(objective);
  expect(undisturbed.document).toContain("Bees make honey from nectar.");

  // The loop-regression: in a run of its own every question was asked once, and the plan is one question.
  const questions = [...model.asked];
  expect(questions.filter(([, times]) => times !== 1)).toEqual([]);
  const planning = questions.filter(([key]) => contractOf(JSON.parse(key) as Messages) === "PRC-OUTLINE-001");
  expect(planning).toHaveLength(1);

  model.forget();
  answered.clear();
  const killed: string[] = [];
  onQuestion = async (contract) => {
    const once = (name: string): boolean => !killed.includes(name) && killed.push(name) > 0;
    if (contract === "PRC-OUTLINE-001" && once("app")) {
      await kill(conductor); // while its app waits for the answer
      conductor = conduct();
      throw new Error("nobody is there to hear it");
    }
    if (contract !== "PRC-RESEARCH-001" || !killed.includes("app")) return;
    if (once("worker")) {
      await kill(worker); // with leases in its hands
      worker = work();
      throw new Error("nobody is there to hear it");
    }
    if (once("conductor")) {
      await kill(conductor); // while it waits for work to end
      conductor = conduct();
    }
  };
  const disturbed = await runToEnd(objective);
  expect(killed).toEqual(["app", "worker", "conductor"]);
  expect(disturbed.document).toBe(undisturbed.document);
  expect(disturbed.events).toContain("work.requeued");
  const kinds = (events: readonly string[], type: string) => events.filter((each) => each === type).length;
  // Not the revisions: one holds whatever patches are ready when the app takes its turn, and a kill moves that moment.
  for (const type of ["work.requested", "work.completed", "patch.applied", "run.closed"])
    expect([type, kinds(disturbed.events, type)]).toEqual([type, kinds(undisturbed.events, type)]);
  expect([...answered.values()].filter((times) => times !== 1)).toEqual([]);
  await Promise.all([kill(conductor), kill(worker)]);
});
