import { exampleObject } from "#core/contracts";
import { isJsonObject, type JsonValue } from "#core/values";
import type { ProviderCall } from "../../provider.ts";
import { followConflict, type SaidMessage } from "./follow-conflict.ts";
import { objectIn } from "./handed-input.ts";
import type { Utterance } from "./utterance.ts";

/** Prefix of an answer that is made from the request alone. */
export const scriptedEcho = "(scripted model) ";

/**
 * Without a rule the scripted model does what the prompt of each role asks for, from the request and nothing else. It has
 * no intelligence: it makes every request complete, so that a newcomer sees the whole path without a key.
 */
export function followRole({ meta, request }: ProviderCall): Utterance {
  const messages = request.messages as readonly SaidMessage[];
  const last = messages.at(-1);
  const handoff = objectIn(last?.content) ?? {};
  // The request of a persona holds the schema of its answer; the simplest document that is valid by it is an answer.
  if (isJsonObject(handoff["answer_schema"]))
    return json(exampleObject(handoff["answer_schema"], firstSentence(meta.prompt)));
  switch (meta.role) {
    case "lead":
      return json({
        intent: firstSentence(meta.prompt),
        constraints: constraintsIn(meta.prompt),
        needs_advisor: false,
        schema_version: "v1",
      });
    case "planner":
      return json(plan(handoff, meta.skill));
    case "solo":
      return alone(messages, request.tools, meta.prompt);
    case "worker":
      return work(handoff, messages, request.tools, meta.prompt);
    case "reviewer":
      return json(review(handoff));
    case "advisor":
      return json({
        advice: `Keep to what was asked: ${firstSentence(meta.prompt)}`,
        recommendation: "proceed",
        schema_version: "v1",
      });
    case "summarizer":
      return { text: "" }; // it cannot sum up; a digest takes the place
    case "scaffolder":
      return json({ created: [], notes: "nothing to prepare", schema_version: "v1" });
    default:
      return { text: `(scripted model, no rule matched) ${firstSentence(meta.prompt)}` };
  }
}

function plan(handoff: Record<string, unknown>, skill: string | null): JsonValue {
  const directive = isJsonObject(handoff["directive"]) ? handoff["directive"] : {};
  const tools = Array.isArray(handoff["tools"]) ? (handoff["tools"] as string[]) : [];
  const intent = textOr(directive["intent"], "do what was asked");
  const through = tools.length > 0 ? ` through ${tools.join(", ")}` : "";
  return {
    steps: [{ id: "s1", description: `${intent}${through}`, depends_on: [] }],
    risks: skill ? [] : ["no skill matched the request, so no tool is available"],
    needs_advisor: false,
    schema_version: "v1",
  };
}

/** First the tool call, if there is a tool; then a report of its result. */
function work(
  handoff: Record<string, unknown>,
  messages: readonly SaidMessage[],
  tools: unknown,
  prompt: string,
): Utterance {
  const offers = Array.isArray(tools) ? (tools as { name: string; input_schema: object }[]) : [];
  const [offer] = offers;
  const last = messages.at(-1);
  const skillText = skillOf(messages[0]);
  if (last?.role === "tool") {
    const again = followConflict(messages, skillText, new Set(offers.map(({ name }) => name)));
    if (!again) return afterTool(last.content);
    return "undone" in again ? json({ output: again.undone, steps_completed: [], schema_version: "v1" }) : again;
  }
  const step = isJsonObject(handoff["step"]) ? handoff["step"] : {};
  if (offer) return { toolCalls: [{ name: offer.name, args: argsFor(offer.input_schema, prompt, skillText) }] };
  return json(report(textOr(step["id"], "s1"), `${scriptedEcho}${firstSentence(prompt)}`));
}

/** Under a skill as the worker, in plain words; without one the request is repeated, for this model knows no answer. */
function alone(messages: readonly SaidMessage[], tools: unknown, prompt: string): Utterance {
  const last = messages.at(-1);
  const offers = Array.isArray(tools) ? (tools as { name: string; input_schema: object }[]) : [];
  const skillText = skillOf(messages.findLast(({ content }) => content.startsWith("# Skill: ")) ?? messages[0]);
  const wanted = schemaAsked(messages[0]);
  if (wanted) return json(exampleObject(wanted, firstSentence(prompt)));
  if (last?.role === "tool") {
    const again = followConflict(messages, skillText, new Set(offers.map(({ name }) => name)));
    if (!again) return afterTool(last.content);
    return "undone" in again ? { text: again.undone } : again;
  }
  const offer = offers.toSorted((one, other) => mention(skillText, one.name) - mention(skillText, other.name))[0];
  if (!offer || skillText === "") return { text: `${scriptedEcho}${firstSentence(prompt)}` };
  return { toolCalls: [{ name: offer.name, args: argsFor(offer.input_schema, prompt, skillText) }] };
}

/** Where a skill first names a tool; one that it does not name comes last. */
function mention(skillText: string, tool: string): number {
  const at = skillText.indexOf(tool);
  return at < 0 ? Number.MAX_SAFE_INTEGER : at;
}

/** The schema of the answer, where the system message ends with one. */
function schemaAsked(message: unknown): object | undefined {
  const content = isJsonObject(message) && typeof message["content"] === "string" ? message["content"] : "";
  return objectIn(content.split("valid by this schema:\n\n")[1]);
}

/** A path argument is one that the request names, else one that the skill names; any other argument is the request itself. */
function argsFor(schema: object, prompt: string, skillText: string): Record<string, unknown> {
  const args = exampleObject(schema, prompt);
  const path = filePath.exec(prompt)?.[1] ?? filePath.exec(skillText)?.[1];
  return typeof args["path"] === "string" && path !== undefined ? { ...args, path } : args;
}

const filePath =
  /(?:^|[\s`"'(])((?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.(?:md|txt|json|jsonl|ya?ml|csv|[cm]?[jt]sx?|py|html))(?=$|[\s`"'),.:;!?])/;

/** The text of the skill, which follows the role's own prompt. */
function skillOf(message: unknown): string {
  const content = isJsonObject(message) && typeof message["content"] === "string" ? message["content"] : "";
  return `\n${content}`.split("\n# Skill: ")[1] ?? "";
}

/** A tool that was refused or failed leaves its step undone. Without a step there is no report to make: the answer is plain. */
function afterTool(content: string): Utterance {
  const answer = objectIn(content) ?? {};
  const step = typeof answer["step_id"] === "string" ? answer["step_id"] : undefined;
  const output =
    "error" in answer
      ? `the tool did not run: ${JSON.stringify(answer["error"])}`
      : toolText(content) || "(the tool gave back nothing)";
  if (step === undefined) return { text: output };
  return json("error" in answer ? { output, steps_completed: [], schema_version: "v1" } : report(step, output));
}

function report(step: string, output: string): JsonValue {
  return { output, steps_completed: [step], schema_version: "v1" };
}

function review(handoff: Record<string, unknown>): JsonValue {
  const planned =
    isJsonObject(handoff["plan"]) && Array.isArray(handoff["plan"]["steps"])
      ? (handoff["plan"]["steps"] as { id: string }[])
      : [];
  const report = isJsonObject(handoff["report"]) ? handoff["report"] : {};
  const done = new Set(Array.isArray(report["steps_completed"]) ? (report["steps_completed"] as string[]) : []);
  const missing = planned.map((step) => step.id).filter((id) => !done.has(id));
  const empty = textOr(report["output"], "").trim() === "";
  const pass = missing.length === 0 && !empty;
  const feedback = pass
    ? "every step is done and the output is there"
    : empty
      ? "the output is empty"
      : `not done: ${missing.join(", ")}`;
  return { verdict: pass ? "pass" : "fail", feedback, schema_version: "v1" };
}

/** A tool's result in words: its text or texts if it has some, a line per match or entry, the file that it wrote. */
function toolText(content: string): string {
  const result = objectIn(content)?.["result"];
  if (typeof result === "string") return result;
  if (!isJsonObject(result)) return result === undefined ? content : JSON.stringify(result);
  for (const key of ["text", "content", "output", "stdout"]) if (typeof result[key] === "string") return result[key];
  const parts = result["content"];
  if (Array.isArray(parts) && parts.length > 0 && parts.every(isTextPart))
    return parts.map(({ text }) => text).join("\n");
  for (const key of ["matches", "entries"]) {
    const rows = result[key];
    if (Array.isArray(rows)) return rows.filter(isJsonObject).map(rowText).join("\n");
  }
  if (typeof result["path"] === "string") return `${result["created"] === true ? "made" : "wrote"} ${result["path"]}`;
  return JSON.stringify(result);
}

/** A part of what a tool of an MCP server answers. */
function isTextPart(part: unknown): part is { readonly text: string } {
  return isJsonObject(part) && part["type"] === "text" && typeof part["text"] === "string";
}

function rowText({ path, line, text }: Record<string, unknown>): string {
  return [path, line, text]
    .filter((part) => typeof part === "string" || typeof part === "number")
    .map(String)
    .join(": ");
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function json(value: JsonValue): Utterance {
  return { text: JSON.stringify(value) };
}

function firstSentence(text: string): string {
  const sentence = text.trim().split(/(?<=[.!?])\s/)[0] ?? "";
  return sentence === "" ? "nothing was asked" : sentence.slice(0, 400);
}

/** Explicit must and must-not statements, as the lead's rules ask. */
function constraintsIn(prompt: string): string[] {
  return prompt
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\b(must|must not|never|only|do not|don't)\b/i.test(sentence))
    .slice(0, 20);
}
