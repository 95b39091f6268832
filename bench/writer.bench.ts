import type { PatchOperationV1 } from "#core/contracts";
import { builtInApps } from "../src/runs/apps/built-in-apps.ts";
import { parseHeadings } from "../src/runs/apps/document/parse-headings.ts";
import { SectionTree } from "../src/runs/apps/document/section-tree.ts";
import { AppBench, openScratch } from "../test/support/app-bench.ts";
import { workplace } from "../test/support/kernel-harness.ts";
import type { Bench } from "./harness.ts";

const turns = 8;
const patchesInTurn = 50;

/** A document of so many sections, in a run of its own, and turns of the writer that each take in fifty patches. */
async function writerTurns(sections: number): Promise<() => Promise<number>> {
  const { writer } = builtInApps;
  if (!writer) throw new Error("the writer is built in");
  const place = workplace();
  process.on("exit", () => place.clear());
  const bench = new AppBench(writer, openScratch(place));
  await bench.start("Anything");
  await bench.settle();
  let number = 0;
  const insert = (): PatchOperationV1 => {
    number += 1;
    return { op: "section.insert", heading: `Section ${number}`, body: bodyOf(number) };
  };
  for (let made = 0; made < sections; made += 500) {
    await Promise.all(Array.from({ length: Math.min(500, sections - made) }, () => bench.propose("ada", [insert()])));
    await bench.settle();
  }
  const change = (index: number): PatchOperationV1 => {
    const section = [`Section ${1 + ((index * 37 + number) % sections)}`];
    return index % 2 === 0
      ? { op: "section.replace", section, body: `${bodyOf(index)} Again.` }
      : { op: "section.move", section, after: null };
  };
  return async () => {
    let spent = 0;
    for (let turn = 0; turn < turns; turn += 1) {
      number += 1;
      const changes = Array.from({ length: patchesInTurn }, (_, index) => change(index));
      await Promise.all(changes.map((operation) => bench.propose("ada", [operation])));
      const before = process.cpuUsage();
      await bench.settle();
      const { user, system } = process.cpuUsage(before);
      spent += user + system;
    }
    return spent / turns / patchesInTurn;
  };
}

function bodyOf(number: number): string {
  return `Words of ${number}, and some more of them.\n\n- a point\n- another`;
}

/** What a turn of the writer costs on a small and on a large document, by processor time. */
export const bench: Bench = {
  title: "writer: a turn on a document that has grown, and opening it",
  peers: false,
  async measures() {
    const [small, large] = [await writerTurns(100), await writerTurns(2_500)];
    const text = `# All\n\n${Array.from({ length: 2_500 }, (_, index) => `## Section ${index}\n\n${bodyOf(index)}\n`).join("\n")}`;
    const spent = (work: () => unknown): number => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    return [
      {
        name: `a turn of ${patchesInTurn} patches`,
        unit: "µs of processor time a patch",
        rounds: 5,
        warmups: 2,
        contenders: [
          { name: "100 sections", role: "limit", sample: small },
          { name: "2,500 sections", role: "writ", sample: large },
        ],
        goals: [{ contender: "2,500 sections", over: "100 sections", ratio: 2.5, sense: "at most" }],
      },
      {
        name: `opening a document of ${Math.round(text.length / 1_000)} KB`,
        unit: "ms of processor time",
        rounds: 5,
        warmups: 2,
        contenders: [
          { name: "the parser over the whole text", role: "limit", sample: () => spent(() => parseHeadings(text)) },
          { name: "Writ, sections and their index", role: "writ", sample: () => spent(() => new SectionTree(text)) },
        ],
        goals: [
          {
            contender: "Writ, sections and their index",
            over: "the parser over the whole text",
            ratio: 0.2,
            sense: "at most",
          },
        ],
      },
    ];
  },
};
