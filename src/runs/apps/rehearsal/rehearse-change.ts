import { handedInput, type ProviderCall, type Utterance } from "#agents";
import { isJsonObject } from "#core/values";
import { editMissing, literalEdits } from "./literal-edit.ts";
import { type Finding, findingsIn, objectsIn } from "./note-findings.ts";
import { textOf } from "./plain-words.ts";

const filePath = /(?:^|[\s`"'(])((?:[\w.-]+\/)*[\w.-]+\.[a-z][a-z0-9]{0,5})(?=$|[\s`"'),.:;!?])/gi;
const proposalPath = "CHANGE.md";
const mostFiles = 20;

/**
 * The scripted planner. For a request with literal edits it plans the files that the request names, or those in which the survey
 * found the words; otherwise it plans a proposal that lists what was found and what would help.
 */
export function rehearseChangePlan(call: ProviderCall): Utterance {
  const input = handedInput(call);
  const objective = textOf(input["objective"]) || "nothing was asked";
  const inFiles = findingsIn(input["note"]).filter(({ kind }) => kind === "file");
  const edits = literalEdits(objective);
  const outsideQuotes = objective.replaceAll(/"[^"\n]*"|'[^'\n]*'|`[^`\n]*`|“[^”\n]*”/g, (text) =>
    /^.[\w./-]+\.\w+.$/.test(text) ? text : '""',
  );
  const named = [...new Set([...outsideQuotes.matchAll(filePath)].map((match) => match[1] ?? ""))];
  const finds = edits.flatMap((edit) => ("find" in edit ? [edit.find] : []));
  const paths = named.length > 0 ? named : filesHolding(inFiles, finds);
  const isLiteral = edits.length > 0 && paths.length > 0;
  const change = (path: string, more = "") => ({ path, instruction: `${objective}\n\nWrite ${path}, whole.${more}` });
  return {
    text: JSON.stringify({
      summary: isLiteral
        ? `Done literally, as the request spells it out, in ${inWords(paths.slice(0, mostFiles))}.`
        : "No model is set up, and the request names no edit that can be made without one: this is a proposal with what was found.",
      changes: isLiteral
        ? paths.slice(0, mostFiles).map((path) => change(path))
        : [change(proposalPath, placesIn(inFiles))],
      schema_version: "v1",
    }),
  };
}

function inWords(paths: readonly string[]): string {
  const names = paths.map((path) => `\`${path}\``);
  const last = names.pop() ?? "";
  return names.length > 0 ? `${names.join(", ")} and ${last}` : last;
}

/** The files of the workspace in which the survey found all of these words. */
function filesHolding(inFiles: readonly Finding[], words: readonly string[]): readonly string[] {
  if (words.length === 0) return [];
  const holding = inFiles.filter(({ text }) => words.every((word) => text.includes(word)));
  return [...new Set(holding.map(({ source }) => source))];
}

function placesIn(inFiles: readonly Finding[]): string {
  const lines = inFiles.map(({ source, lines: [from, to], text }) => {
    const first = text.trim().split("\n")[0]?.slice(0, 120) ?? "";
    return `- \`${source}\`, lines ${from} to ${to}: ${first}`;
  });
  return lines.length === 0 ? "" : `\n\nWhere the workspace speaks of it:\n\n${lines.join("\n")}`;
}

/** Accepts a file that contains the literal edits of its instruction; rejects an empty one. */
export function rehearseChangeReview(call: ProviderCall): Utterance {
  const input = handedInput(call);
  const plan = isJsonObject(input["plan"]) ? input["plan"] : {};
  const changes = objectsIn(plan["changes"]);
  const files = objectsIn(input["files"]);
  const verdicts = files.map(({ patch_id, content, path }) => {
    const instruction = textOf(changes.find((change) => change["path"] === path)?.["instruction"]);
    const edits = path === proposalPath ? [] : literalEdits(instruction);
    const problem = textOf(content).trim() === "" ? "it is empty" : editMissing(textOf(content), edits);
    return {
      patch_id: textOf(patch_id),
      accepted: problem === undefined,
      reason:
        problem === undefined
          ? `${textOf(path)} holds what was asked for`
          : `${textOf(path)} is not what was asked for: ${problem}`,
    };
  });
  return {
    text: JSON.stringify({
      summary: `${verdicts.filter(({ accepted }) => accepted).length} of ${verdicts.length} files accepted`,
      verdicts,
      schema_version: "v1",
    }),
  };
}
