import { expect, test } from "vitest";
import type { ProviderCall } from "#agents";
import { rehearseEditorial } from "./rehearse-editorial.ts";

interface Editorial {
  readonly reason: string;
  readonly summary: string;
}

function edited(document: string): Editorial {
  const input = JSON.stringify({ objective: "How do bees live", document, failed: [], may_request: true });
  const call = { request: { messages: [{ role: "user", content: `\`\`\`json\n${input}\n\`\`\`` }] } };
  const said = rehearseEditorial(call as unknown as ProviderCall);
  return JSON.parse("text" in said ? said.text : "{}") as Editorial;
}

const honey = "Bees make honey from nectar, and they live on it from October to March.";

test("every section is counted, also behind a fence that holds another fence", () => {
  const fenced = "````md\n```\n## Not a section\n```\n## Nor this\n````";
  const { reason } = edited(`# Bees\n\n## One\n\n${honey}\n\n${fenced}\n\n## Two\n\nMore.\n\n## Three\n\nMore.\n`);
  expect(reason).toBe("3 of 3 sections are written, each with its sources");
});

test("the summary of a short document repeats one sentence of it, of a long one a sentence of each section", () => {
  const short = edited(
    `# Bees\n\n## One\n\n${honey}\n\n## Two\n\nThe drones of the hive do not live long in autumn.\n`,
  );
  expect(short.summary).toBe(`${honey} There is more on *Two*.`);
  const long = edited(
    `# Bees\n\n## One\n\n${honey}\n\n${"Something else stands here. ".repeat(60)}\n\n## Two\n\nThe drones of the hive do not live long in autumn.\n`,
  );
  expect(long.summary.split("\n")).toHaveLength(2);
});
