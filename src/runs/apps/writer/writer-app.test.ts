import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "#core/values";
import { AppBench } from "../../../../test/support/app-bench.ts";
import { must } from "../../../../test/support/kernel-harness.ts";
import { blameRun } from "../blame/blame-run.ts";
import { writerApp } from "./writer-app.ts";

const outline = {
  title: "Bees",
  opening: "What bees do.",
  sections: [
    { heading: "Honey", question: "How is honey made?" },
    { heading: "Winter", question: "What happens in winter?" },
  ],
};
const editorial = {
  satisfied: true,
  reason: "it is all there",
  summary: "Bees work.",
  open_questions: [],
  requests: [],
};

/** A run that is planned: two sections wait for their researchers. */
async function planned(more: Partial<Record<string, JsonObject>> = {}): Promise<AppBench> {
  const bench = new AppBench(writerApp);
  bench.answers = ({ contract }) => more[contract] ?? (contract === "PRC-OUTLINE-001" ? outline : editorial);
  await bench.start("Write a report about bees");
  await bench.settle();
  const [survey] = await bench.lease("research");
  if (survey) await bench.deliver(survey, "", { note: { summary: "bees", findings: [] }, citations: [] });
  await bench.settle();
  return bench;
}

const cited = (source: string) => ({ citations: [{ id: "1", kind: "file", source, lines: [1, 3] }] });
const run = async (bench: AppBench) => must(await bench.kernel.read.run(bench.run_id));
const revisions = async (bench: AppBench) => must(await bench.kernel.read.revisions(bench.run_id));

test("a document grows from an objective through researched sections, and the run closes when the editor is satisfied", async () => {
  const bench = await planned();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  expect(await bench.text()).toBe(
    "---\nobjective: Write a report about bees\nstatus: researching\n---\n\n# Bees\n\nWhat bees do.\n\n## Honey\n\n_In preparation: How is honey made?_\n\n## Winter\n\n_In preparation: What happens in winter?_\n",
  );
  const [honey, winter] = await bench.lease("research");
  if (!honey || !winter) throw new Error("two sections were ordered");
  await bench.deliver(honey, "From nectar.[^h-1]\n\n[^h-1]: `notes/bees.md`, line 3", cited("notes/bees.md"));
  await bench.settle();
  expect(await bench.text()).toContain("From nectar");
  expect(bench.asked).toHaveLength(1);
  await bench.deliver(winter, "They keep warm.", cited("notes/winter.md"));
  await bench.settle();
  expect(await run(bench)).toMatchObject({
    status: "closed",
    close_reason: "completed",
    close_message: "it is all there",
  });
  expect(await bench.text()).toBe(
    "---\nobjective: Write a report about bees\nstatus: complete\n---\n\n# Bees\n\nWhat bees do.\n\n## Summary\n\nBees work.\n\n## Honey\n\nFrom nectar.[^h-1]\n\n[^h-1]: `notes/bees.md`, line 3\n\n## Winter\n\nThey keep warm.\n\n## Open questions\n\nNone that the sources raise.\n\n## Sources\n\n| Source | Kind | Lines | Used in |\n|---|---|---|---|\n| `notes/bees.md` | file | 1–3 | Honey |\n| `notes/winter.md` | file | 1–3 | Winter |\n",
  );
  expect(bench.asked.map(({ contract }) => contract)).toEqual(["PRC-OUTLINE-001", "PRC-EDITORIAL-001"]);
});

test("a section that is called like the document, or like one that a person wrote already, disturbs neither", async () => {
  const sections = [
    ...outline.sections,
    { heading: "bees", question: "What are bees?" },
    { heading: "Summary", question: "In short?" },
  ];
  const bench = new AppBench(writerApp);
  onTestFinished(() => bench[Symbol.asyncDispose]());
  bench.answers = ({ contract }) => (contract === "PRC-OUTLINE-001" ? { ...outline, sections } : editorial);
  await bench.start("Write a report about bees");
  await bench.settle();
  await bench.propose("ada", [{ op: "section.insert", heading: "Winter", body: "My winter." }]);
  const [survey] = await bench.lease("research");
  if (survey) await bench.deliver(survey, "", { note: { summary: "bees", findings: [] } });
  await bench.settle();
  const leases = await bench.lease("research");
  expect(leases.map(({ objective }) => objective)).toEqual(["How is honey made?", "What are bees?"]);
  for (const lease of leases) await bench.deliver(lease, `About ${lease.objective}`);
  await bench.settle();
  expect(await bench.text()).toContain("## bees in detail\n\nAbout What are bees?");
  expect(await bench.text()).toContain("## Winter\n\nMy winter.");
  expect(await run(bench)).toMatchObject({ close_reason: "completed" });
});

test("when a person and a worker change the same section at the same time, the person's words stay and the worker is asked again", async () => {
  const bench = await planned();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  const [honey, winter] = await bench.lease("research");
  if (!honey || !winter) throw new Error("two sections were ordered");
  await bench.deliver(honey, "From nectar.");
  await bench.propose("ada", [
    { op: "text.edit", section: ["Honey"], find: "How is honey made?", replace: "Say how much honey a hive gives." },
  ]);
  await bench.deliver(winter, "They keep warm.");
  await bench.settle();
  const last = (await revisions(bench)).at(-1);
  expect(last?.rejections).toEqual([
    {
      patch_id: last?.rejected_patch_ids[0],
      reason: expect.stringMatching(/changed meanwhile.*how much honey.*make the change again/s),
    },
  ]);
  const [again] = await bench.lease("research");
  expect(again).toMatchObject({
    objective: "How is honey made?",
    input: { notes: expect.stringContaining("Say how much honey a hive gives.") },
  });
  if (again) await bench.deliver(again, "From nectar, ten kilograms.");
  await bench.settle();
  expect(await bench.text()).toContain("## Honey\n\nFrom nectar, ten kilograms.\n\n## Winter");
  expect(await run(bench)).toMatchObject({ close_reason: "completed" });
});

test("what a person changes while the app thinks is not lost: the run stays open for it", async () => {
  const bench = await planned();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  for (const lease of await bench.lease("research")) await bench.deliver(lease, `About ${lease.objective}`);
  let isInterrupted = false;
  bench.answers = async () => {
    if (!isInterrupted)
      await bench.propose("ada", [
        { op: "section.insert", heading: "Mine", body: "My own words." },
        { op: "section.insert", heading: "Summary", body: "My own summary.", after: null },
      ]);
    isInterrupted = true;
    return editorial;
  };
  await bench.turn();
  expect(await run(bench)).toMatchObject({ status: "active" });
  await bench.settle();
  expect(await run(bench)).toMatchObject({ status: "closed", close_reason: "completed" });
  expect(await bench.text()).toContain("## Mine\n\nMy own words.");
  expect(await bench.text()).toContain("My own summary.");
  const patches = must(await bench.kernel.read.patches(bench.run_id));
  expect(patches.filter((patch) => patch.applied_in_revision_id === null)).toEqual([]);
});

test("the model is asked once for the same unresolved state, however many turns there are", async () => {
  const bench = await planned();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  expect(await bench.turn()).toBe(false);
  for (let patch = 0; patch < 5; patch += 1) {
    await bench.propose("ada", [{ op: "section.delete", section: ["Not there"] }]);
    await bench.settle();
  }
  expect(bench.asked).toHaveLength(1);
  for (const lease of await bench.lease("research")) await bench.deliver(lease, "Done.");
  let patches = 3;
  bench.answers = async () => {
    if (patches-- > 0) await bench.propose("ada", [{ op: "section.delete", section: ["Not there"] }]);
    return editorial;
  };
  await bench.settle();
  // The editor saw two documents: the one without and the one with its own last hand.
  expect(bench.asked.map(({ key }) => key)).toEqual([
    "outline",
    expect.stringMatching(/^editorial@/),
    expect.stringMatching(/^editorial@/),
  ]);
  expect(await run(bench)).toMatchObject({ status: "closed" });
});

test("an editor that finds something missing has it researched, in bounded rounds", async () => {
  const asking = { ...editorial, requests: [{ heading: "Queens", question: "Who leads?" }] };
  const bench = await planned({ "PRC-EDITORIAL-001": asking });
  onTestFinished(() => bench[Symbol.asyncDispose]());
  for (let round = 0; round < 5; round += 1) {
    for (const lease of await bench.lease("research")) await bench.deliver(lease, `Answer to ${lease.objective}`);
    await bench.settle();
  }
  expect(await bench.text()).toContain("## Queens\n\nAnswer to Who leads?");
  expect(await run(bench)).toMatchObject({ close_reason: "completed" });
});

test("what cannot be researched is said, and a run without any result closes as blocked", async () => {
  const unhappy = { ...editorial, satisfied: false, reason: "nothing is known", open_questions: ["What are bees?"] };
  const bench = await planned({ "PRC-EDITORIAL-001": unhappy });
  onTestFinished(() => bench[Symbol.asyncDispose]());
  for (const lease of await bench.lease("research")) await bench.fail(lease, "no source could be read");
  await bench.settle();
  expect(await run(bench)).toMatchObject({
    close_reason: "blocked",
    close_message: '2 of its sections could not be written: "Honey", "Winter". nothing is known',
  });
  const text = await bench.text();
  expect(text).toContain("## Honey\n\n_This could not be written: no source could be read_");
  expect(text).toContain("## Open questions\n\n- What are bees?");
  expect(text).toContain("status: incomplete");
  expect(bench.asked.at(-1)?.input["failed"]).toHaveLength(2);
});

test("an editor that is content with a gap does not make the document complete; a person who fills it does", async () => {
  for (const fills of [false, true]) {
    const bench = await planned();
    const [honey, winter] = await bench.lease("research");
    if (!honey || !winter) throw new Error("two sections were ordered");
    await bench.deliver(honey, "From nectar.");
    await bench.fail(winter, "no source could be read");
    if (fills)
      await bench.propose("ada", [
        {
          op: "text.edit",
          section: ["Winter"],
          find: "_In preparation: What happens in winter?_",
          replace: "They sleep.",
        },
      ]);
    await bench.settle();
    expect(await run(bench)).toMatchObject(
      fills
        ? { close_reason: "completed", close_message: "it is all there" }
        : {
            close_reason: "blocked",
            close_message: '1 of its sections could not be written: "Winter". it is all there',
          },
    );
    expect(await bench.text()).toContain(fills ? "status: complete" : "status: incomplete");
    await bench[Symbol.asyncDispose]();
  }
});

test("a researcher knows the document that its section is a part of", async () => {
  const bench = await planned();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  const [honey] = await bench.lease("research");
  expect(honey?.input).toMatchObject({
    about: {
      objective: "Write a report about bees",
      title: "Bees",
      heading: "Honey",
      outline: ["Honey", "Winter"],
    },
  });
});

test("every line is blamed: on the person, on the worker's item, on the thought of the app", async () => {
  const bench = await planned();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  const [honey, winter] = await bench.lease("research");
  if (!honey || !winter) throw new Error("two sections were ordered");
  await bench.propose("ada", [
    { op: "text.edit", section: ["Bees"], find: "What bees do.", replace: "What bees really do." },
  ]);
  const facts = { work_order_id: "WO-20261115-700", session_id: "SES-700", verdict: "pass" };
  await bench.deliver(honey, "From nectar.", facts);
  await bench.deliver(winter, "They keep warm.", facts);
  await bench.settle();
  const blamed = must(
    await blameRun(
      {
        read: bench.kernel.read,
        documents: bench.documents,
        sessionFacts: () => Promise.resolve({ ok: true, value: { model: "m-1", verdict: "success", turns: ["T1"] } }),
      },
      bench.run_id,
    ),
  );
  const of = (text: string) => blamed.lines.find((line) => line.text === text);
  expect(blamed.lines.map((line) => line.text).join("\n")).toBe((await bench.text()).trimEnd());
  expect(of("What bees really do.")).toMatchObject({
    author_kind: "user",
    author_id: "ada",
    work_order_id: null,
    model: null,
  });
  expect(of("From nectar.")).toMatchObject({
    author_kind: "worker",
    work_id: honey.work_id,
    work_order_id: "WO-20261115-700",
    session_id: "SES-700",
    model: "m-1",
    verdict: "pass",
    turns: ["T1"],
  });
  expect(of("## Winter")).toMatchObject({
    author_kind: "app",
    author_id: "writer",
    work_order_id: "WO-20261115-001",
    verdict: "success",
    app_turn: 2,
  });
  expect(of("Bees work.")).toMatchObject({ work_order_id: "WO-20261115-002", session_id: "SES-002" });
});
