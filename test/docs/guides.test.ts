// The guides say what to type; here it is typed, and what they show is compared with what is printed.
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { systemClock, systemRandom } from "#core/values";
import { runCli } from "#main";
import { built } from "../support/built.ts";
import { blocksOf } from "../support/guide/blocks.ts";
import { runGuide } from "../support/guide/run-guide.ts";
import { stageOf } from "../support/guide/stages.ts";
import { Writ } from "../support/warm-writ.ts";
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

/** A drawing or a sketch: everything else is run, written to a file, validated, makes the database of the guide, or its role (test/e2e/postgres-administration.test.ts). */
const onlyShown = ["mermaid", "text"];

test.for(guides)("every block of %s is run, used or validated", (path) => {
  const idle = blocksOf(read(path)).filter(
    ({ language, attributes }) =>
      !(language === "console" || onlyShown.includes(language)) &&
      !["file", "add", "check", "database", "role", "tenant"].some((use) => use in attributes),
  );
  expect(idle.map(({ language, line, text }) => `${path}:${line} ${language}: ${text.split("\n")[0]}`)).toEqual([]);
});

const reference = readdirSync(`${repository}docs/reference`).map((file) => `docs/reference/${file}`);

test.for([...guides, ...reference])("every link of %s leads somewhere", (path) => {
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

test.for([...guides, ...reference])("every link of %s leads to something that the package holds", (path) => {
  const { files } = JSON.parse(read("package.json")) as { readonly files: readonly string[] };
  const folder = new URL(path, `file://${repository}`);
  const outside = [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)]
    .map(([, to = ""]) => new URL(to, folder).pathname.slice(repository.length))
    .filter((to) => !files.some((each) => to === each || to.startsWith(`${each}/`)));
  expect(outside).toEqual([]);
});

const anchorsOf = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );

/** `writ session verify --all` in a sentence: nobody types it here, but there must be such a command with such an option. */
const inSentences = (markdown: string): readonly string[] => {
  const prose = markdown.replace(/^( *)(`{3,})[\s\S]*?^\1\2$/gm, "");
  return [...new Set([...prose.matchAll(/`writ ([a-z][^`]*)`/g)].map(([, line = ""]) => line))];
};

async function helpOf(words: readonly string[]): Promise<{ readonly status: number; readonly text: string }> {
  let text = "";
  const stream = { write: (part: string) => void (text += part), isTTY: false, columns: 200 };
  const status = await runCli([...words, "--help"], {
    stdout: stream,
    stderr: stream,
    env: {},
    cwd: repository,
    clock: systemClock,
    random: systemRandom,
    signal: new AbortController().signal,
    version: "test",
  });
  return { status, text };
}

async function unknownIn(line: string): Promise<readonly string[]> {
  const words = line.split(/\s+/);
  const named = words.slice(0, 2).filter((word) => /^[a-z][a-z-]*$/.test(word));
  const { status, text } = await helpOf(named);
  const [usage = ""] = text.split("\n");
  // For a word that is none of its commands a group answers with its own help.
  const isGroup = usage.includes("[command]");
  if (status !== 0 || (isGroup && !usage.startsWith(`Usage: writ ${named.join(" ")} `)))
    return [`writ ${line}: ${usage}`];
  const options = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.replace(/[=,.;:)\]].*$/, ""));
  return options
    .filter((option) => !new RegExp(`${option}(?![a-z-])`).test(text))
    .map((option) => `writ ${line}: there is no ${option}`);
}

test.for([...guides, "docs/deployment/runbook.md"])(
  "every command that a sentence of %s names is there",
  async (path) => {
    const unknown: string[] = [];
    for (const line of inSentences(read(path))) unknown.push(...(await unknownIn(line)));
    expect(unknown).toEqual([]);
  },
);

test("a command or an option that is not there would be noticed", async () => {
  for (const line of ["sesion list", "session lst", "session verify --al"])
    expect(await unknownIn(line)).toHaveLength(1);
});
