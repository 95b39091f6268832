import { isJsonObject, type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import {
  type AnswerFacts,
  type AnswerTerms,
  type AskedCall,
  type ReportedUsage,
  refusedWords,
  type WholeAnswer,
} from "../dialect.ts";
import { GatheredFacts } from "../facts.ts";
import { applyEdits, type Edit, elementsOf, type Member, membersOf, type Span } from "../json-spans.ts";
import { readAnswer } from "../read-answer.ts";
import { argsOf, objectsIn, textIn } from "../read-request.ts";

export function usageOf(usage: JsonValue | undefined): ReportedUsage {
  if (!isJsonObject(usage)) return {};
  const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details } = usage;
  const cached = isJsonObject(prompt_tokens_details) ? prompt_tokens_details["cached_tokens"] : undefined;
  const thought = isJsonObject(completion_tokens_details) ? completion_tokens_details["reasoning_tokens"] : undefined;
  return {
    ...(typeof prompt_tokens === "number" ? { input_tokens: prompt_tokens } : {}),
    ...(typeof completion_tokens === "number" ? { output_tokens: completion_tokens } : {}),
    ...(typeof cached === "number" ? { cached_input_tokens: cached } : {}),
    ...(typeof thought === "number" ? { reasoning_tokens: thought } : {}),
  };
}

export function finishOf(raw: string): NonNullable<AnswerFacts["finish"]> {
  switch (raw) {
    case "tool_calls":
      return { reason: "tool_use", raw };
    case "length":
      return { reason: "max_tokens", raw };
    case "content_filter":
      return { reason: "safety", raw };
    default:
      return { reason: "stop", raw };
  }
}

/** A call of a function; of a call of another kind only its name is known, and it is judged as unreadable. */
export function callOf(call: JsonObject): AskedCall {
  const made = isJsonObject(call["function"]) ? call["function"] : {};
  const custom = isJsonObject(call["custom"]) ? call["custom"] : {};
  const input = textIn(made, "arguments");
  const isFunction = isJsonObject(call["function"]);
  const name = textIn(made, "name") || textIn(custom, "name");
  return { id: textIn(call, "id"), name, input, args: isFunction ? argsOf(input) : undefined };
}

/** An answer in one piece. A call that is refused is taken out, and the answer's text says so. */
export async function readChatAnswer(text: string, terms: AnswerTerms): Promise<Result<WholeAnswer>> {
  const read = readAnswer(text);
  if (!read.ok) return read;
  const { document, members } = read.value;
  const facts = new GatheredFacts();
  facts.model = textIn(document, "model");
  facts.report(usageOf(document["usage"]));
  const [choice] = objectsIn(document["choices"]);
  if (!choice) return ok({ text, facts });
  const message = isJsonObject(choice["message"]) ? choice["message"] : {};
  facts.say(textIn(message, "content"));
  facts.think(textIn(message, "reasoning_content"));
  const asked = objectsIn(message["tool_calls"]);
  const kept: JsonObject[] = [];
  const refused: string[] = [];
  let isChanged = false;
  for (const each of asked) {
    const call = callOf(each);
    facts.count(call.input);
    const verdict = await terms.judge(call);
    if (!verdict.ok) return verdict;
    if (!verdict.value.isAllowed) {
      refused.push(refusedWords(call.name, verdict.value));
      continue;
    }
    const { args } = verdict.value;
    const input = args === undefined ? call.input : JSON.stringify(args);
    isChanged ||= args !== undefined;
    facts.calls.push(args === undefined ? call : { ...call, args, input });
    kept.push(args === undefined ? each : { ...each, function: { name: call.name, arguments: input } });
  }
  const raw = textIn(choice, "finish_reason");
  const isEmptied = refused.length > 0 && kept.length === 0 && raw === "tool_calls";
  facts.finish = finishOf(isEmptied ? "stop" : raw);
  if (refused.length === 0 && !isChanged) return ok({ text, facts });
  const said = [textIn(message, "content"), ...refused].filter((line) => line !== "").join("\n\n");
  if (refused.length > 0) facts.say(refused.join("\n\n"));
  const { tool_calls: _, ...rest } = message;
  const changed = { ...rest, content: said === "" ? null : said, ...(kept.length > 0 ? { tool_calls: kept } : {}) };
  return ok({ text: applyEdits(text, editsOf(text, members, { changed, isEmptied })), facts });
}

function editsOf(
  text: string,
  members: readonly Member[],
  { changed, isEmptied }: { readonly changed: JsonObject; readonly isEmptied: boolean },
): readonly Edit[] {
  const choices = members.find(({ key }) => key === "choices");
  const [first]: readonly Span[] = choices ? elementsOf(text, choices.value) : [];
  const within = first ? membersOf(text, first) : [];
  return within.flatMap(({ key, value }) => {
    if (key === "message") return [{ span: value, text: JSON.stringify(changed) }];
    return key === "finish_reason" && isEmptied ? [{ span: value, text: '"stop"' }] : [];
  });
}
