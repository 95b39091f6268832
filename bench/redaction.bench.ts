import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { seededRandom } from "#core/values";
import { createRedactor } from "../src/log/redaction/redactor.ts";
import type { Bench, Measure } from "./harness.ts";

const modules = fileURLToPath(new URL("../node_modules/", import.meta.url));

/** Real sources: the first so many files of the installed packages, whatever they are. */
function sources(most: number): readonly string[] {
  const texts: string[] = [];
  for (const name of readdirSync(modules).toSorted()) {
    if (name.startsWith(".") || name.startsWith("@")) continue;
    for (const file of readdirSync(join(modules, name), { recursive: true, encoding: "utf8" }).toSorted()) {
      if (!/\.(?:[cm]?[jt]s|md|json)$/.test(file) || texts.length >= most) continue;
      const path = join(modules, name, file);
      if (statSync(path).isFile() && statSync(path).size < 200_000) texts.push(readFileSync(path, "utf8"));
    }
    if (texts.length >= most) break;
  }
  return texts;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

function secrets(count: number): readonly string[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, () =>
    Array.from(random.bytes(32), (byte) => alphabet[byte % alphabet.length]).join(""),
  );
}

const passes = 3;

type Create = typeof createRedactor;

/** Milliseconds a megabyte. Of each text the shortest of some passes counts: on a busy machine a whole pass says little. */
function perMegabyte(create: Create, texts: readonly string[], registered: readonly string[]): () => number {
  const made = create({ secrets: registered });
  if (!made.ok) throw new Error(made.error.message);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return () => {
    let total = 0;
    for (const text of texts) {
      let least = Number.POSITIVE_INFINITY;
      for (let pass = 0; pass < passes; pass++) {
        const start = performance.now();
        made.value.redactText(text);
        least = Math.min(least, performance.now() - start);
      }
      total += least;
    }
    return (total * 1e6) / characters;
  };
}

/**
 * What redaction costs over real sources, with registered secrets and without. `WRIT_BENCH_BEFORE` names the redactor.ts of
 * another checkout that is built, which then takes turns with this one.
 */
export const bench: Bench = {
  title: "redaction: cost a megabyte",
  peers: false,
  async measures(): Promise<readonly Measure[]> {
    const texts = sources(1_500);
    const lines = texts.slice(0, 300).flatMap((text) => text.split("\n"));
    const other = process.env["WRIT_BENCH_BEFORE"];
    const before =
      other === undefined ? undefined : ((await import(other)) as { createRedactor: Create }).createRedactor;
    const measure = (name: string, what: readonly string[], registered: readonly string[]): Measure => ({
      name,
      unit: "ms/MB",
      rounds: 9,
      warmups: 2,
      contenders: [
        { name: "none registered", role: "limit", sample: perMegabyte(createRedactor, what, []) },
        ...(before ? [{ name: "before", role: "peer" as const, sample: perMegabyte(before, what, registered) }] : []),
        { name: "writ", role: "writ", sample: perMegabyte(createRedactor, what, registered) },
      ],
      goals: before ? [{ contender: "writ", over: "before", ratio: 1.1, sense: "at most" }] : [],
    });
    return [
      measure("files, 1 secret registered", texts, secrets(1)),
      measure("files, 10 secrets registered", texts, secrets(10)),
      measure("lines, 10 secrets registered", lines, secrets(10)),
    ];
  },
};
