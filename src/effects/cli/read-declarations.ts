import { domainError } from "#core/errors";
import { err, isJsonObject, ok, type Result, suggest } from "#core/values";
import type { ToolValues } from "../mcp/declared-values.ts";
import { declaredOf, type SurveyedTool } from "../mcp/tool-approvals.ts";

type Sink = NonNullable<ToolValues["args"]>[string];
type Field = NonNullable<ToolValues["fields"]>[string];

const classes: readonly Sink["sink"][] = ["reach", "object", "secret", "measure", "when", "label", "content", "plain"];
const writers: readonly Field["from"][] = ["system", "owner", "fact", "foreign"];
const facts = ["reads", "destroys", "directory"] as const;
const kindShape = /^[a-z][a-z0-9_-]{0,39}$/;

/**
 * What a person says of the values of tools that are to be approved, each word about one: `to=reach:mail`, `send.to=reach:mail`,
 * `returns.mail=owner:mail`, `reads`. Over what was declared before.
 */
export function declare(tools: readonly SurveyedTool[], words: readonly string[]): Result<readonly SurveyedTool[]> {
  const declared = new Map(tools.map((tool) => [tool, declaredOf(tool)] as const));
  for (const word of words) {
    const meant = toolOf(tools, word);
    if (!meant.ok) return meant;
    const { tool, rest } = meant.value;
    const said = readWord(tool, rest, declared.get(tool) ?? {});
    if (!said.ok) return said;
    declared.set(tool, said.value);
  }
  return ok(
    tools.map((tool) => {
      const said = declared.get(tool);
      return said === undefined || said === declaredOf(tool) ? tool : { ...tool, declared: said };
    }),
  );
}

/** Whether an answer corrects what was shown, instead of agreeing to it. */
export function isDeclaration(answer: string): boolean {
  return answer.includes("=") || facts.some((fact) => answer.split(/[\s.]+/).includes(fact));
}

function toolOf(
  tools: readonly SurveyedTool[],
  word: string,
): Result<{ readonly tool: SurveyedTool; readonly rest: string }> {
  for (const tool of tools.toSorted((a, b) => b.name.length - a.name.length))
    for (const name of [tool.name, tool.tool])
      if (word.startsWith(`${name}.`)) return ok({ tool, rest: word.slice(name.length + 1) });
  const [only] = tools;
  if (only && tools.length === 1) return ok({ tool: only, rest: word });
  return err(wrong(word, `say of which tool: ${tools.map(({ tool }) => tool).join(", ")}`));
}

function readWord(tool: SurveyedTool, word: string, before: ToolValues): Result<ToolValues> {
  const [name = "", value] = word.split(/=(.*)/s);
  const fact = facts.find((each) => each === name);
  if (fact) {
    if (value !== undefined && value !== "yes" && value !== "no") return err(wrong(word, `${name}, or ${name}=no`));
    return ok({ ...before, [fact]: value !== "no" });
  }
  if (value === undefined) return err(wrong(word, `${facts.join(", ")}, or NAME=CLASS`));
  if (name.startsWith("returns.")) return readField(word, { name: name.slice("returns.".length), value }, before);
  const known = argumentsOf(tool);
  const [first = ""] = name.split(".");
  if (first !== "*" && !known.includes(first)) {
    const meant = suggest(first, known);
    return err(
      wrong(word, `${tool.name} takes ${known.join(", ") || "nothing"}${meant ? `; did you mean ${meant}?` : ""}`),
    );
  }
  const [named = "", kind] = value.split(":");
  const sink = classes.find((each) => each === named);
  if (!sink) return err(wrong(word, `a class is one of ${classes.join(", ")}`));
  if (kind !== undefined && !kindShape.test(kind))
    return err(wrong(word, "a kind is a word such as mail, file, account"));
  return ok({ ...before, args: { ...before.args, [name]: { sink, ...(kind === undefined ? {} : { kind }) } } });
}

function readField(
  word: string,
  { name, value }: { readonly name: string; readonly value: string },
  before: ToolValues,
): Result<ToolValues> {
  const [named = "", ...more] = value.split(":");
  const from = writers.find((each) => each === named);
  if (!from || name === "") return err(wrong(word, `who writes a field is one of ${writers.join(", ")}`));
  const kind = more.find((each) => each !== "secret");
  if (kind !== undefined && !kindShape.test(kind))
    return err(wrong(word, "a kind is a word such as mail, file, account"));
  const field: Field = {
    from,
    ...(kind === undefined ? {} : { kind }),
    ...(more.includes("secret") ? { secret: true } : {}),
  };
  return ok({ ...before, fields: { ...before.fields, [name]: field } });
}

function argumentsOf({ offered }: SurveyedTool): readonly string[] {
  const schema = offered?.definition["inputSchema"];
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

function wrong(word: string, hint: string) {
  return domainError("MALFORMED_INPUT", `${JSON.stringify(word)} says nothing of a tool's values`, {
    details: { hint },
  });
}
