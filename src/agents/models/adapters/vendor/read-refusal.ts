import type { CompletionRequest } from "../../completion.ts";
import type { Droppable, LearnedRefusal } from "../../facts/known-refusals.ts";
import type { WireApi } from "../../provider-kind.ts";

/** A request as it was sent, and the refusal that the server answered with. */
export interface RefusedExchange {
  readonly status: number;
  readonly said: string;
  readonly request: CompletionRequest;
  readonly api: WireApi;
  readonly otherApis: readonly WireApi[];
  /** An answer of a good status in the form of another interface. */
  readonly isOfOtherApi?: boolean;
}

const schemaWords =
  /response_?(?:format|schema|json_?schema|mime_?type)|json_?(?:schema|object)|output_(?:config|format)|text\.format|structured[ _-]?output|json mode/i;
const forcedWords = /tool_?choice|forced? tool|functionCallingConfig/i;
const toolWords = /\btools?\b|function.?call/i;

const parameterWords: readonly (readonly [Droppable, RegExp])[] = [
  ["temperature", /temperature|sampling parameter/i],
  ["reasoning", /reasoning|thinking/i],
  ["cache_key", /prompt_cache_key/i],
];

/**
 * Reads from a refusal what the request can be sent without: the parameter that the server names and that the request has.
 * Undefined where it names none: a guess would send the person's question in another form than they paid for.
 */
export function readRefusal({
  status,
  said,
  request,
  api,
  otherApis,
  isOfOtherApi = false,
}: RefusedExchange): LearnedRefusal | undefined {
  const { model, answer } = request;
  const without = (refused: LearnedRefusal["refused"]): LearnedRefusal => ({
    model,
    refused,
    said: said.slice(0, 200),
  });
  if (isOfOtherApi || isUnknownApi(status, said, api)) return otherApis.length > 0 ? without({ api }) : undefined;
  if (status !== 400 && status !== 404 && status !== 422 && status !== 501) return undefined;
  const mode = answer?.mode;
  if ((mode === "native" || mode === "object") && schemaWords.test(said)) return without({ mode });
  if (mode === "tool" && (request.tools ?? []).length === 0) {
    if (forcedWords.test(said)) return without({ parameter: "forced_tool" });
    if (toolWords.test(said)) return without({ mode });
  }
  const named = parameterWords.find(([name, words]) => hasParameter(request, name) && words.test(said));
  return named ? without({ parameter: named[0] }) : undefined;
}

/** A server that knows the model and not the address of the newer interface says 404 or 405 without naming the model. */
function isUnknownApi(status: number, said: string, api: WireApi): boolean {
  if (api !== "responses") return false;
  if (status === 405 || status === 501) return true;
  return status === 404 && !/\bmodel\b/i.test(said);
}

function hasParameter({ temperature, reasoning, cache_key }: CompletionRequest, name: Droppable): boolean {
  switch (name) {
    case "temperature":
      return temperature !== undefined;
    case "reasoning":
      return reasoning !== undefined;
    case "cache_key":
      return cache_key !== undefined;
    case "forced_tool":
      return false;
  }
}
