import { ValueSession } from "../test/support/value-session.ts";
import type { Bench, Contender, Measure } from "./harness.ts";

/** A mailbox with as much text as is asked for, a directory, and an order that names two people. */
function session(bytes: number): ValueSession {
  const filled = new ValueSession("Write to Sarah Baker and to ann@a.example about the plan", {
    pack: "standard",
    tools: {
      "mail.send": {
        args: { to: { sink: "reach", kind: "mail" }, subject: { sink: "label" }, body: { sink: "content" } },
      },
      "mail.search": { fields: { id: { from: "system", kind: "message" }, sender: { from: "fact", kind: "mail" } } },
      "people.find": { directory: true, fields: { name: { from: "owner" }, mail: { from: "owner", kind: "mail" } } },
    },
  });
  const sentence = "The quarterly figures for the northern region are attached, as agreed in our last meeting. ";
  const mails = Array.from({ length: Math.ceil(bytes / 2000) }, (_, at) => ({
    id: String(1000 + at),
    sender: `sender${at}@firm.example`,
    body: sentence.repeat(20),
  }));
  const annotations = { readOnly: true };
  filled.call({ tool: "mail.search", args: { query: "plan" }, annotations }, mails);
  const people = Array.from({ length: 50 }, (_, at) => ({
    name: `Person ${at} Baker${at}`,
    mail: `p${at}@firm.example`,
  }));
  filled.call({ tool: "people.find", args: { name: "Sarah Baker" }, annotations }, [
    { name: "Sarah Baker", mail: "sarah.baker@firm.example" },
    ...people,
  ]);
  return filled;
}

const to = ["sarah.baker@firm.example", "ann@a.example", ...[1, 2, 3, 4, 5, 6].map((at) => `sender${at}@firm.example`)];
const act = { to, subject: "the plan", body: "See https://firm.example/plan and write to ann@a.example." };
const each = 50;

/** Milliseconds of one act. */
function judged(filled: ValueSession): number {
  const start = performance.now();
  for (let at = 0; at < each; at++) filled.judge("mail.send", act);
  return (performance.now() - start) / each;
}

function measure(name: string, bytes: number): Measure {
  const filled = session(bytes);
  const text = filled.index.sources.map((source) => source.text).join("\n");
  const search: Contender = {
    name: "ten searches in the same text",
    role: "limit",
    sample: () => {
      const start = performance.now();
      let found = 0;
      for (let at = 0; at < each; at++) for (const value of to) if (text.includes(`${value}!`)) found += at;
      return (performance.now() - start + found) / each;
    },
  };
  return {
    name,
    unit: "ms",
    rounds: 9,
    warmups: 3,
    contenders: [search, { name: "an act with ten values", role: "writ", sample: () => judged(filled) }],
    goals: [],
  };
}

/** What the rights over values cost an act: at most 1 ms with ten values at 100 kB of results, 5 ms at 1 MB. */
export const bench: Bench = {
  title: "values: an act with ten values is labelled and judged",
  peers: false,
  measures: () => [measure("100 kB of results", 100_000), measure("1 MB of results", 1_000_000)],
};
