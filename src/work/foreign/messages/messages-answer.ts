import { isJsonObject, type JsonValue, ok, type Result } from "#core/values";
import {
  type AnswerFacts,
  type AnswerTerms,
  type AskedCall,
  type ReportedUsage,
  refusedWords,
  type WholeAnswer,
} from "../dialect.ts";
import { GatheredFacts, numberOf } from "../facts.ts";
import { applyEdits, type Edit, elementsOf, membersOf } from "../json-spans.ts";
import { readAnswer } from "../read-answer.ts";
import { argsOf, textIn } from "../read-request.ts";

/** Whether a block is the model's own word, or what a tool of the vendor gave that was allowed. */
export function isKnownBlock(
  block: Readonly<Record<string, unknown>>,
  { isHostedAllowed }: Pick<AnswerTerms, "isHostedAllowed">,
): boolean {
  const type = textIn(block, "type");
  if (type === "text" || type === "thinking" || type === "redacted_thinking") return true;
  if (type === "server_tool_use") return isHostedAllowed(textIn(block, "name"));
  return type.endsWith("_tool_result") && isHostedAllowed(type.slice(0, -"_tool_result".length));
}

export function usageOf(usage: JsonValue | undefined): ReportedUsage {
  if (!isJsonObject(usage)) return {};
  const { input_tokens, output_tokens, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  return {
    // The vendor counts what came from its cache, or went to it, beside the input.
    ...(typeof input_tokens === "number" ? { input_tokens: input_tokens + numberOf(read) + numberOf(written) } : {}),
    ...(typeof output_tokens === "number" ? { output_tokens } : {}),
    ...(typeof read === "number" ? { cached_input_tokens: read } : {}),
    ...(typeof written === "number" ? { cache_write_tokens: written } : {}),
  };
}

export function finishOf(raw: string): NonNullable<AnswerFacts["finish"]> {
  switch (raw) {
    case "tool_use":
    case "max_tokens":
      return { reason: raw, raw };
    case "model_context_window_exceeded":
      return { reason: "max_tokens", raw };
    case "refusal":
      return { reason: "safety", raw };
    default:
      return { reason: "stop", raw };
  }
}

/** An answer in one piece. A call that is refused becomes a text block; all bytes beside it stay. */
export async function readMessagesAnswer(text: string, terms: AnswerTerms): Promise<Result<WholeAnswer>> {
  const read = readAnswer(text);
  if (!read.ok) return read;
  const { document, members } = read.value;
  const facts = new GatheredFacts();
  const edits: Edit[] = [];
  const place = members.find(({ key }) => key === "content");
  const spans = place && Array.isArray(document["content"]) ? elementsOf(text, place.value) : [];
  const blocks = Array.isArray(document["content"]) ? document["content"] : [];
  facts.model = textIn(document, "model");
  facts.report(usageOf(document["usage"]));
  let refused = 0;
  for (const [index, block] of blocks.entries()) {
    const span = spans[index];
    if (!isJsonObject(block) || !span) continue;
    const refuse = (words: string) => {
      refused += 1;
      facts.say(words);
      edits.push({ span, text: JSON.stringify({ type: "text", text: words }) });
    };
    const name = textIn(block, "name") || textIn(block, "type");
    if (block["type"] !== "tool_use") {
      if (isKnownBlock(block, terms)) {
        facts.say(textIn(block, "text"));
        facts.think(textIn(block, "thinking"));
      } else
        refuse(
          refusedWords(name, {
            code: "POLICY_DENIED",
            reason: "the vendor would have run it, and the order does not name it",
          }),
        );
      continue;
    }
    const input = JSON.stringify(block["input"] ?? {});
    facts.count(input);
    const call: AskedCall = { id: textIn(block, "id"), name, input, args: argsOf(block["input"]) };
    const verdict = await terms.judge(call);
    if (!verdict.ok) return verdict;
    if (!verdict.value.isAllowed) refuse(refusedWords(name, verdict.value));
    else {
      const { args } = verdict.value;
      facts.calls.push(args === undefined ? call : { ...call, args, input: JSON.stringify(args) });
      const at = membersOf(text, span).find(({ key }) => key === "input");
      if (args !== undefined && at) edits.push({ span: at.value, text: JSON.stringify(args) });
    }
  }
  const raw = textIn(document, "stop_reason");
  const isEmptied = raw === "tool_use" && refused > 0 && facts.calls.length === 0;
  const reason = members.find(({ key }) => key === "stop_reason");
  if (isEmptied && reason) edits.push({ span: reason.value, text: '"end_turn"' });
  facts.finish = finishOf(isEmptied ? "end_turn" : raw);
  return ok({ text: applyEdits(text, edits), facts });
}
