import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, ok, type Result } from "#core/values";
import { type AnswerStream, type AnswerTerms, type AskedCall, refusedWords } from "../dialect.ts";
import { GatheredFacts } from "../facts.ts";
import { argsOf, objectOf, textIn } from "../read-request.ts";
import type { ServerEvent } from "../server-events.ts";
import { finishOf, isKnownBlock, usageOf } from "./messages-answer.ts";

interface HeldBlock {
  readonly index: number;
  readonly block: JsonObject;
  readonly isCall: boolean;
  readonly bytes: Uint8Array[];
  input: string;
}

type Bytes = readonly Uint8Array[];

/**
 * A streamed answer of Messages. Text goes on at once. A block that is a call is held:
 *
 *     content_block_start ──► held ──content_block_stop──► judged ──► let through, byte for byte
 *                                                                └──► a text block that says why not
 */
export class MessagesStream implements AnswerStream {
  readonly facts: GatheredFacts = new GatheredFacts();
  readonly tail: Uint8Array[] = [];
  isWhole = false;
  readonly #terms: AnswerTerms;
  #held: HeldBlock | undefined;
  #refused = 0;

  constructor(terms: AnswerTerms) {
    this.#terms = terms;
  }

  async push(event: ServerEvent): Promise<Result<Bytes>> {
    if (this.tail.length > 0) return this.#end(event);
    if (event.data === undefined) return this.#pass(event);
    const said = objectOf(event.data);
    if (!said) return broken("an event of its stream is no JSON object");
    switch (said["type"]) {
      case "message_start": {
        const message = isJsonObject(said["message"]) ? said["message"] : {};
        this.facts.model = textIn(message, "model");
        this.facts.report(usageOf(message["usage"]));
        return this.#pass(event);
      }
      case "content_block_start":
        return this.#start(event, said);
      case "content_block_delta":
        return this.#delta(event, said);
      case "content_block_stop":
        return this.#stop(event, said);
      case "message_delta":
        return this.#finish(event, said);
      case "error": {
        const { error } = said;
        this.facts.problem = isJsonObject(error) ? textIn(error, "message") : "an error without words";
        this.isWhole = true;
        return ok([event.bytes]);
      }
      case "message_stop":
        return this.#end(event);
      default:
        return this.#pass(event);
    }
  }

  #pass({ bytes }: ServerEvent): Result<Bytes> {
    if (!this.#held) return ok([bytes]);
    this.#held.bytes.push(bytes);
    return ok([]);
  }

  #start(event: ServerEvent, { index, content_block: block }: JsonObject): Result<Bytes> {
    if (typeof index !== "number" || !isJsonObject(block))
      return broken("a block of its stream has no place or no content");
    if (this.#held) return broken("a block begins before the one before it has ended");
    const isCall = block["type"] === "tool_use";
    if (!isCall && isKnownBlock(block, this.#terms)) {
      this.facts.say(textIn(block, "text"));
      return ok([event.bytes]);
    }
    this.#held = { index, block, isCall, bytes: [event.bytes], input: "" };
    return ok([]);
  }

  #delta(event: ServerEvent, { index, delta }: JsonObject): Result<Bytes> {
    if (!isJsonObject(delta)) return broken("a delta of its stream has no content");
    const held = this.#held;
    if (held) {
      if (held.index !== index) return broken("a delta belongs to another block than the one that is open");
      held.input += textIn(delta, "partial_json");
      this.facts.count(textIn(delta, "partial_json"));
      return this.#pass(event);
    }
    this.facts.say(textIn(delta, "text"));
    this.facts.think(textIn(delta, "thinking"));
    return ok([event.bytes]);
  }

  async #stop(event: ServerEvent, { index }: JsonObject): Promise<Result<Bytes>> {
    const held = this.#held;
    if (!held) return ok([event.bytes]);
    if (held.index !== index) return broken("another block ends than the one that is open");
    this.#held = undefined;
    const { block, isCall, input, bytes } = held;
    const name = textIn(block, "name") || textIn(block, "type");
    if (!isCall) return ok(this.#refuse(held, refusedWords(name, hosted)));
    const text = input === "" ? JSON.stringify(block["input"] ?? {}) : input;
    const call: AskedCall = { id: textIn(block, "id"), name, input: text, args: argsOf(text) };
    const verdict = await this.#terms.judge(call);
    if (!verdict.ok) return verdict;
    if (!verdict.value.isAllowed) return ok(this.#refuse(held, refusedWords(name, verdict.value)));
    const { args } = verdict.value;
    this.facts.calls.push(args === undefined ? call : { ...call, args, input: JSON.stringify(args) });
    if (args === undefined) return ok([...bytes, event.bytes]);
    const [start] = bytes;
    const delta = { type: "input_json_delta", partial_json: JSON.stringify(args) };
    return ok([
      ...(start ? [start] : []),
      eventOf({ type: "content_block_delta", index: held.index, delta }),
      event.bytes,
    ]);
  }

  #refuse({ index }: HeldBlock, text: string): Bytes {
    this.#refused += 1;
    this.facts.say(text);
    return [
      eventOf({ type: "content_block_start", index, content_block: { type: "text", text: "" } }),
      eventOf({ type: "content_block_delta", index, delta: { type: "text_delta", text } }),
      eventOf({ type: "content_block_stop", index }),
    ];
  }

  #finish(event: ServerEvent, said: JsonObject): Result<Bytes> {
    if (this.#held) return broken("it ends in the midst of a block");
    const delta = isJsonObject(said["delta"]) ? said["delta"] : {};
    this.facts.report(usageOf(said["usage"]));
    const raw = textIn(delta, "stop_reason");
    const isEmptied = raw === "tool_use" && this.#refused > 0 && this.facts.calls.length === 0;
    this.facts.finish = finishOf(isEmptied ? "end_turn" : raw);
    this.tail.push(isEmptied ? eventOf({ ...said, delta: { ...delta, stop_reason: "end_turn" } }) : event.bytes);
    return ok([]);
  }

  #end(event: ServerEvent): Result<Bytes> {
    this.tail.push(event.bytes);
    const isStop = objectOf(event.data ?? "")?.["type"] === "message_stop";
    if (isStop && this.facts.finish) this.isWhole = true;
    return isStop && !this.facts.finish ? broken("it ends without a reason to") : ok([]);
  }
}

const hosted = { code: "POLICY_DENIED", reason: "the vendor would have run it, and the order does not name it" };

function eventOf(said: JsonObject): Uint8Array {
  return Buffer.from(`event: ${textIn(said, "type")}\ndata: ${JSON.stringify(said)}\n\n`);
}

function broken(what: string): Result<never> {
  return err(domainError("PROVIDER_ERROR", `the answer cannot be read: ${what}`));
}
