import type { Answer, Invocation } from "#core/commands";
import { type Command, numberOption, type Opens, text } from "#core/commands";
import type { BlameV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import type { Screen } from "#core/terminal";
import { err, ok, type Result } from "#core/values";
import type { LogReader } from "#log";
import { runOf } from "./run-of.ts";
import { type RunParts, runArgument } from "./run-parts.ts";

interface BlameParts {
  readonly "existing kernel": Opens<RunParts>;
  readonly records: Opens<{ readonly reader: LogReader }>;
}

interface BlameOptions {
  readonly line?: string;
  readonly revision?: string;
}

type BlamedLine = BlameV1["lines"][number];

export const blame: Command<"choice", BlameParts, BlameOptions> = {
  name: "blame",
  summary: "who wrote each line of the document: patch, author, work order, session, model, verdict",
  needs: "choice",
  json: "blame_v1",
  arguments: [runArgument],
  options: {
    line: text("n", "only this line, with everything about it"),
    revision: text("revision", "the document as it was then (default: now)"),
  },
  examples: ["writ runs blame 7qk2", "writ runs blame 7qk2 --line 12"],
  exits: null,
  run: (opens, invocation) =>
    opens["existing kernel"]((open) => opens.records(({ reader }) => blameWith(open, reader, invocation))),
};

async function blameWith(
  { kernel, documents }: RunParts,
  reader: LogReader,
  invocation: Invocation<BlameOptions>,
): Promise<Result<Answer>> {
  const { revision, line } = invocation.options;
  const number = line === undefined ? ok(undefined) : numberOption("--line", line);
  if (!number.ok) return number;
  const runId = await runOf(kernel, invocation);
  if (!runId.ok) return runId;
  const { blameRun } = await import("../apps/blame/blame-run.ts");
  const { readRevision } = await import("../apps/read-revision.ts");
  const { sessionFactsOf } = await import("../session-facts.ts");
  const sources = { read: kernel.read, documents, sessionFacts: sessionFactsOf(reader) };
  const wanted = revision === undefined ? ok(undefined) : await readRevision(sources, runId.value, revision);
  if (!wanted.ok) return wanted;
  const upTo = wanted.value?.revision.revision_id;
  const blamed = await blameRun(sources, runId.value, upTo === undefined ? {} : { revision: upTo });
  if (!blamed.ok) return blamed;
  const { lines } = blamed.value;
  if (number.value === undefined) return ok({ json: blamed.value, text: (screen) => margin(lines, screen) });
  const one = lines[number.value - 1];
  if (!one) return err(domainError("MALFORMED_INPUT", `there is no line ${line}: the document has ${lines.length}`));
  return ok({ json: { ...blamed.value, lines: [one] }, text: (screen) => story(one, screen) });
}

const short = (id: string | null): string => (id === null ? "" : id.slice(-6));

function margin(lines: readonly BlamedLine[], screen: Screen): string {
  const width = String(lines.length).length;
  let before: BlamedLine | undefined;
  return lines
    .map((line) => {
      const isSame = before?.patch_id === line.patch_id && before.revision_id === line.revision_id;
      before = line;
      const who = line.author_kind === "user" ? line.author_id : line.author_kind;
      const origin = isSame ? "" : `${short(line.patch_id ?? line.revision_id)} ${who} ${line.model ?? ""}`;
      return `${screen.dim(`${origin.slice(0, 30).padEnd(30)} ${String(line.line).padStart(width)} |`)} ${line.text}\n`;
    })
    .join("");
}

function story(line: BlamedLine, screen: Screen): string {
  const rows: readonly (readonly [string, string | number | null])[] = [
    ["author", `${line.author_kind} ${line.author_id}`],
    ["patch", line.patch_id],
    ["revision", line.revision_id],
    ["app turn", line.app_turn],
    ["work item", line.work_id],
    ["work order", line.work_order_id],
    ["session", line.session_id],
    ["turns", line.turns.join(", ") || null],
    ["model", line.model],
    ["verdict", line.verdict],
  ];
  const known = rows
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `  ${screen.dim(name.padEnd(11))}${value}\n`);
  const next =
    line.session_id === null ? "" : screen.dim(`${screen.sign.arrow} writ session show ${line.session_id}\n`);
  return `${screen.bold(`line ${line.line}`)}  ${line.text}\n${known.join("")}${next}`;
}
