import { expect, test } from "vitest";
import { canonicalJson, fraction, ok, seededRandom } from "#core/values";
import { cycleHarness } from "../../../test/support/cycle-harness.ts";
import { cycleOf } from "../../../test/support/cycle-of.ts";
import { finding } from "../../../test/support/cycle-workspace.ts";
import type { Provider } from "../../agents/models/provider.ts";

/** Three reviewers over two generations; some of their findings are about the same places. */
const answers: Readonly<Record<string, readonly object[]>> = {
  "sharp-eye": [
    { findings: [finding({ severity: "P1" }), finding({ line: 4, autofix_class: "safe_auto" })], schema_version: "v1" },
    { findings: [finding({ line: 4, confidence: 25 })], schema_version: "v1" },
  ],
  "soft-eye": [
    { findings: [finding({ severity: "P3", confidence: 100 }), finding({ line: 7 })], schema_version: "v1" },
    { findings: [finding({ line: 4, autofix_class: "advisory" })], schema_version: "v1" },
  ],
  "third-eye": [{ findings: [finding({ line: 7, severity: "P1", confidence: 0 })], schema_version: "v1" }],
  maker: [{ output: "tidied", steps_completed: [], schema_version: "v1" }],
};

/** Recorded personas: each gives the same answer each time, after a random number of turns of the event loop. */
function recorded(chance: () => number): Provider {
  return {
    id: "recorded",
    async complete({ meta, request }) {
      for (let turns = Math.floor(chance() * 6); turns > 0; turns--)
        await new Promise<void>((resolve) => setImmediate(resolve));
      const list = answers[meta.persona ?? ""] ?? [];
      const text = JSON.stringify(list[Math.min(meta.call, list.length) - 1]);
      return ok({
        text,
        tool_calls: [],
        finish_reason: "stop",
        usage: { input_tokens: 10, output_tokens: 10 },
        model: request.model,
        schema_version: "v1",
      });
    },
  };
}

// Each is a whole run over the real router and budgeter: a fifth of a minute here, the thousand in a campaign.
const times = process.env["WRIT_CAMPAIGN"] ? 1_000 : 150;

test("the same recorded answers give the same path, decisions and verdict each time, in whatever order they arrive", async () => {
  const cycle = await cycleOf({
    "workflows/phases/look.md": (text) => text.replace("[sharp-eye,", "[third-eye, sharp-eye,"),
    "workflows/personas/reviewer/third-eye.md": "---\nname: third-eye\ndescription: Guesses.\n---\nGuess.\n",
  });
  const random = seededRandom(12);
  const orders = new Set<string>();
  let first: string | undefined;
  for (let time = 0; time < times; time++) {
    const harness = await cycleHarness(
      cycle,
      recorded(() => fraction(random)),
    );
    const ended = await harness.run();
    if (!ended.ok) throw new Error(ended.error.message);
    orders.add(
      harness.recorder
        .of("llm.response")
        .map(({ request_id }) => request_id.slice(-4))
        .join(),
    );
    const decided = harness.recorder.events
      .filter(
        ({ type }) => type.startsWith("workflow.") && type !== "workflow.fanned_out" && type !== "workflow.started",
      )
      .map(({ type, payload }) => [type, { ...payload, observed: undefined }]);
    const outcome = canonicalJson([
      ended.value.verdict,
      ended.value.phases_visited,
      decided.map(([type, payload]) => [type, JSON.parse(JSON.stringify(payload))]),
    ]);
    first ??= outcome;
    expect(outcome).toBe(first);
  }
  expect(JSON.parse(first ?? "[]").slice(0, 2)).toEqual(["done", ["make", "look", "make", "look"]]);
  expect(orders.size).toBeGreaterThan(1); // the answers really came in different orders
});
