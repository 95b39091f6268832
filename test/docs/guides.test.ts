// The guides say what to type; here it is typed, and what they show is compared with what is printed.
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { built } from "../support/built.ts";
import { blocksOf } from "../support/guide/blocks.ts";
import { runGuide } from "../support/guide/run-guide.ts";
import { stageOf } from "../support/guide/stages.ts";
import { Writ } from "../support/guide/warm-writ.ts";
import { repository } from "../support/writ.ts";

const guides = [
  "README.md",
  ...["docs", "docs/guides"].flatMap((folder) =>
    readdirSync(`${repository}${folder}`)
      .filter((file) => file.endsWith(".md") && file !== "architecture.md") // for those who work on Writ, not with it
      .map((file) => `${folder}/${file}`),
  ),
];
const writ = new Writ();
built();
afterAll(() => writ.close());

const isExecuted = (path: string) => blocksOf(read(path)).some(({ language }) => language === "console");
const read = (path: string) => readFileSync(`${repository}${path}`, "utf8");

test.for(guides.filter(isExecuted))("%s does what it says", async (path) => {
  expect(await runGuide(path, writ, { stage: await stageOf(path) })).toEqual([]);
});

/** A drawing, a sketch of something, or a language that is not ours: everything else is run, written to a file or validated. */
const onlyShown = ["mermaid", "text"];

test.for(guides)("every block of %s is run, used or validated", (path) => {
  const idle = blocksOf(read(path)).filter(
    ({ language, attributes }) =>
      !(language === "console" || onlyShown.includes(language) || "shown" in attributes) &&
      !("file" in attributes || "add" in attributes || "check" in attributes),
  );
  expect(idle.map(({ language, line, text }) => `${path}:${line} ${language}: ${text.split("\n")[0]}`)).toEqual([]);
});

test.for(guides)("every link of %s leads somewhere", (path) => {
  const folder = new URL(path, `file://${repository}`);
  const broken = [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)(#[^)]*)?\)/g)].flatMap(
    ([, to = "", anchor]) => {
      const target = new URL(to, folder);
      try {
        const text = to.endsWith("/") ? "" : readFileSync(target, "utf8");
        return anchor === undefined || anchorsOf(text).includes(anchor.slice(1)) ? [] : [`${to}${anchor}`];
      } catch (thrown) {
        return (thrown as NodeJS.ErrnoException).code === "EISDIR" ? [] : [to];
      }
    },
  );
  expect(broken).toEqual([]);
});

const anchorsOf = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
