import { expect, onTestFinished, test } from "vitest";
import { sha256 } from "#core/values";
import { AppBench } from "../../../../test/support/app-bench.ts";
import { must } from "../../../../test/support/kernel-harness.ts";
import { codeChangeApp } from "./code-change-app.ts";

const plan = {
  summary: "Adds a greeting.",
  changes: [
    { path: "src/greet.ts", instruction: "export greet" },
    { path: "src/greet.test.ts", instruction: "test greet" },
  ],
};

test("a change is planned, written by several at once, reviewed, and becomes one revision", async () => {
  const bench = new AppBench(codeChangeApp);
  onTestFinished(() => bench[Symbol.asyncDispose]());
  bench.answers = ({ contract, input }) => {
    if (contract === "PRC-CHANGE-PLAN-001") return plan;
    const files = input["files"] as { patch_id: string; path: string; content: string }[];
    const verdicts = files.map(({ patch_id, content }) => {
      const accepted = !content.includes("TBD");
      return { patch_id, accepted, reason: accepted ? "fine" : "finish it" };
    });
    return { summary: "reviewed", verdicts };
  };
  await bench.start("Add a greeting");
  await bench.settle();
  const [survey] = await bench.lease("research");
  if (survey) await bench.deliver(survey, "", { note: { summary: "nothing yet", findings: [] } });
  await bench.settle();
  const [greet, proof] = await bench.lease("agent");
  if (!greet || !proof) throw new Error("two files were ordered at once");
  await bench.deliver(greet, "export const greet = () => 'hello';\n");
  await bench.settle();
  expect(must(await bench.kernel.read.revisions(bench.run_id))).toEqual([]);
  await bench.deliver(proof, "TBD\n");
  await bench.propose("ada", [{ op: "file.write", path: "README.md", content: "# Mine\n", expected_hash: null }]);
  await bench.settle();
  const [first] = must(await bench.kernel.read.revisions(bench.run_id));
  expect(first?.rejections).toEqual([
    { patch_id: expect.any(String), reason: "the reviewer did not accept it: finish it" },
  ]);
  const [again] = await bench.lease("agent");
  expect(again?.input).toMatchObject({
    notes: expect.stringContaining("finish it"),
    target: { path: "src/greet.test.ts" },
  });
  if (again) await bench.deliver(again, "test('greets', () => {});\n");
  await bench.settle();
  expect(must(await bench.kernel.read.run(bench.run_id))).toMatchObject({ close_reason: "completed" });
  expect(await bench.text()).toBe(
    "# Add a greeting\n\nAdds a greeting.\n\n## README.md\n\n```md\n# Mine\n```\n\n## src/greet.test.ts\n\n```ts\ntest('greets', () => {});\n```\n\n## src/greet.ts\n\n```ts\nexport const greet = () => 'hello';\n```\n",
  );
  expect(bench.asked.map(({ contract }) => contract.slice(4))).toEqual([
    "CHANGE-PLAN-001",
    "CHANGE-REVIEW-001",
    "CHANGE-REVIEW-001",
  ]);
});

test("a file that changed meanwhile is a conflict with a remedy; a file that no worker could write blocks the run", async () => {
  const bench = new AppBench(codeChangeApp);
  onTestFinished(() => bench[Symbol.asyncDispose]());
  bench.answers = ({ contract }) => (contract === "PRC-CHANGE-PLAN-001" ? plan : { summary: "none", verdicts: [] });
  await bench.start("Add a greeting");
  await bench.settle();
  const [survey] = await bench.lease("research");
  if (survey) await bench.fail(survey, "no sources");
  await bench.settle();
  await bench.propose("ada", [{ op: "file.write", path: "a.txt", content: "one\n", expected_hash: null }]);
  await bench.propose("bob", [{ op: "file.delete", path: "a.txt", expected_hash: sha256("other\n") }]);
  for (const lease of await bench.lease("agent")) await bench.fail(lease, "no idea");
  await bench.settle();
  const [revision] = must(await bench.kernel.read.revisions(bench.run_id));
  expect(revision?.rejections?.[0]?.reason).toMatch(/file.delete.*expected content .*found content .*read it again/);
  expect(must(await bench.kernel.read.run(bench.run_id))).toMatchObject({
    close_reason: "blocked",
    close_message: "not written or not accepted: src/greet.ts, src/greet.test.ts",
  });
});
