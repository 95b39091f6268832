import { expect, test } from "vitest";
import type { RunId } from "#core/values";
import type { FlowResult } from "#work";
import { thinkFor } from "./think.ts";

test("what a model answers can be kept by every store, whatever characters it wrote", async () => {
  const response = JSON.stringify({ title: "Bees\0", sections: [{ "he\0ading": "a\0b\0" }], count: 2, none: null });
  const runtime = { runKeyedOrder: async () => ({ status: "success", response }) as FlowResult };
  const think = thinkFor(runtime, "RUN-1" as RunId, 0, new AbortController().signal);
  const question = { key: "outline", contract: "PRC-OUTLINE-001", input: {}, output_schema: "outline_v1" };
  expect(await think(question)).toMatchObject({
    ok: true,
    value: { answer: { title: "Bees\ufffd", sections: [{ "he\ufffdading": "a\ufffdb\ufffd" }], count: 2, none: null } },
  });
});
