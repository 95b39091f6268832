import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, ok, type Result } from "#core/values";
import { type AnswerStream, type AnswerTerms, type AskedCall, refusedWords } from "../dialect.ts";
import { GatheredFacts } from "../facts.ts";
import { argsOf, objectOf, objectsIn, textIn } from "../read-request.ts";
import type { ServerEvent } from "../server-events.ts";
import { finishOf, usageOf } from "./chat-answer.ts";

interface Held {
  readonly bytes: Uint8Array;
  readonly said: JsonObject;
}

interface GatheredCall {
  id: string;
  name: string;
  input: string;
  isFunction: boolean;
}

type Bytes = readonly Uint8Array[];

/**
 * A streamed answer of Chat Completions. Text goes on at once. From the first piece of a call on everything is held until the
 * choice ends: only then are its calls whole. Judged, they go on byte for byte, or as chunks without those that were refused.
 */
export class ChatStream implements AnswerStream {
  readonly facts: GatheredFacts = new GatheredFacts();
  readonly tail: Uint8Array[] = [];
  isWhole = false;
  readonly #terms: AnswerTerms;
  readonly #held: Held[] = [];
  readonly #calls = new Map<number, GatheredCall>();

  constructor(terms: AnswerTerms) {
    this.#terms = terms;
  }

  async push(event: ServerEvent): Promise<Result<Bytes>> {
    if (event.data === undefined) return ok(this.#keepOrder(event));
    if (event.data.trim() === "[DONE]") {
      this.tail.push(event.bytes);
      this.isWhole = this.facts.finish !== undefined;
      return this.isWhole ? ok([]) : broken("it ends without a reason to");
    }
    const said = objectOf(event.data);
    return said ? this.#chunk(event, said) : broken("an event of its stream is no JSON object");
  }

  async #chunk(event: ServerEvent, said: JsonObject): Promise<Result<Bytes>> {
    if (isJsonObject(said["error"])) {
      this.facts.problem = textIn(said["error"], "message");
      this.isWhole = true;
      return ok([event.bytes]);
    }
    if (textIn(said, "model") !== "") this.facts.model = textIn(said, "model");
    this.facts.report(usageOf(said["usage"]));
    const choices = objectsIn(said["choices"]);
    const [choice] = choices;
    if (!choice) {
      const isReport = isJsonObject(said["usage"]);
      return ok(isReport && this.#terms.hidesUsage ? [] : this.#keepOrder(event));
    }
    if (choices.length > 1 || (choice["index"] ?? 0) !== 0)
      return broken("it has several answers, and one was asked for");
    if (this.facts.finish) return broken("it goes on after its end");
    const delta = isJsonObject(choice["delta"]) ? choice["delta"] : {};
    if (delta["function_call"] !== undefined && delta["function_call"] !== null)
      return broken("it calls a function in the older form, and no functions were offered");
    this.facts.say(textIn(delta, "content"));
    this.facts.think(textIn(delta, "reasoning_content"));
    const gathered = this.#gather(delta["tool_calls"]);
    if (!gathered.ok) return gathered;
    const raw = textIn(choice, "finish_reason");
    if (raw !== "") return this.#finish(event, said, { raw, choice });
    if (this.#calls.size === 0) return ok([event.bytes]);
    this.#held.push({ bytes: event.bytes, said });
    return ok([]);
  }

  /** What holds no part of the answer stays where it stood. */
  #keepOrder({ bytes }: ServerEvent): Bytes {
    if (this.facts.finish) {
      this.tail.push(bytes);
      return [];
    }
    if (this.#held.length === 0) return [bytes];
    this.#held.push({ bytes, said: {} });
    return [];
  }

  #gather(pieces: unknown): Result<void> {
    if (pieces === undefined || pieces === null) return ok(undefined);
    if (!Array.isArray(pieces)) return broken("its calls are no list");
    for (const piece of pieces) {
      if (!isJsonObject(piece)) return broken("a piece of a call is no object");
      const made = isJsonObject(piece["function"]) ? piece["function"] : undefined;
      const custom = isJsonObject(piece["custom"]) ? piece["custom"] : {};
      // Some servers leave the place of an only call out.
      const index = typeof piece["index"] === "number" ? piece["index"] : 0;
      const call = this.#calls.get(index) ?? { id: "", name: "", input: "", isFunction: false };
      call.id ||= textIn(piece, "id");
      call.name += textIn(made ?? custom, "name");
      call.input += textIn(made ?? {}, "arguments");
      call.isFunction ||= made !== undefined;
      this.facts.count(textIn(made ?? {}, "arguments"));
      this.#calls.set(index, call);
    }
    return ok(undefined);
  }

  async #finish(
    event: ServerEvent,
    said: JsonObject,
    { raw, choice }: { readonly raw: string; readonly choice: JsonObject },
  ): Promise<Result<Bytes>> {
    const allowed: AskedCall[] = [];
    const refused: string[] = [];
    let isChanged = false;
    for (const { id, name, input, isFunction } of this.#calls.values()) {
      const call: AskedCall = { id, name, input, args: isFunction ? argsOf(input) : undefined };
      const verdict = await this.#terms.judge(call);
      if (!verdict.ok) return verdict;
      if (!verdict.value.isAllowed) refused.push(refusedWords(name, verdict.value));
      else {
        const { args } = verdict.value;
        isChanged ||= args !== undefined;
        allowed.push(args === undefined ? call : { ...call, args, input: JSON.stringify(args) });
      }
    }
    this.facts.calls.push(...allowed);
    const isEmptied = refused.length > 0 && allowed.length === 0 && raw === "tool_calls";
    this.facts.finish = finishOf(isEmptied ? "stop" : raw);
    const held = this.#held.splice(0);
    if (refused.length === 0 && !isChanged) {
      this.tail.push(event.bytes);
      return ok(held.map(({ bytes }) => bytes));
    }
    if (refused.length > 0) this.facts.say(refused.join("\n\n"));
    const chunk = (delta: JsonObject, finish_reason: string | null) =>
      Buffer.from(`data: ${JSON.stringify({ ...said, choices: [{ ...choice, delta, finish_reason }] })}\n\n`);
    this.tail.push(chunk({}, isEmptied ? "stop" : raw));
    const texts = [...held.map((each) => each.said), said].map(contentOf).filter((text) => text !== "");
    return ok([
      ...[...texts, refused.join("\n\n")].filter((text) => text !== "").map((content) => chunk({ content }, null)),
      ...allowed.map(({ id, name, input }, index) =>
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: input } }] }, null),
      ),
    ]);
  }
}

function contentOf({ choices }: JsonObject): string {
  const [choice] = Array.isArray(choices) ? choices : [];
  return isJsonObject(choice) && isJsonObject(choice["delta"]) ? textIn(choice["delta"], "content") : "";
}

function broken(what: string): Result<never> {
  return err(domainError("PROVIDER_ERROR", `the answer cannot be read: ${what}`));
}
