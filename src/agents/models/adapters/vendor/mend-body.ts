import { isJsonObject, parseJson } from "#core/values";
import type { ProviderId, WireApi } from "../../provider-kind.ts";
import { endFailedTurn } from "./failed-generation.ts";

type Json = Record<string, unknown>;

/** Mends the documents of one exchange in their order. */
export interface Mend {
  /** Changes one document, or one event of a stream, in place. Returns whether anything was changed. */
  document(value: Json): boolean;
  /** What is missing when the server says that its stream is over. */
  atEnd(): Json | undefined;
  /** Whether the server answered in the form of another interface than the one that it was asked through. */
  readonly isOfOtherApi: boolean;
}

/**
 * What servers leave out or spell otherwise, and what the vendors' packages refuse a whole answer for. Nothing that an answer
 * says is changed: an absent figure becomes 0 in a detail that is not counted, an item of an unknown kind is left out.
 */
export function mendedBody(vendor: ProviderId, api: WireApi): Mend {
  if (api === "responses") return mendResponses();
  if (api === "chat") return mendChat();
  return { document: vendor === "google" ? mendGoogle : mendAnthropic, atEnd: () => undefined, isOfOtherApi: false };
}

/** A body as text with its document mended; the same text where nothing was. */
export function mendText(text: string, mend: Mend): string {
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return text;
  return mend.document(parsed.value) ? JSON.stringify(parsed.value) : text;
}

/** Calls without arguments, or with an object for a text; a stream that ends properly and gives no reason. */
function mendChat(): Mend {
  let last: Json | undefined;
  let hasReason = false;
  let isRefused = false;
  let text = "";
  return {
    isOfOtherApi: false,
    document(value) {
      if (endFailedTurn(value, text)) {
        hasReason = true;
        return true;
      }
      const [choice] = Array.isArray(value["choices"]) ? value["choices"] : [];
      if (!isJsonObject(choice)) return false;
      // What a filter took away leaves a choice without a message.
      const isBare = choice["message"] === undefined && choice["delta"] === undefined && choice["text"] === undefined;
      if (isBare) choice[value["object"] === "chat.completion.chunk" ? "delta" : "message"] = { content: "" };
      // A refusal has a member of its own, which the packages leave out.
      const said = choice["message"] ?? choice["delta"];
      if (isJsonObject(said) && typeof said["content"] === "string") text += said["content"];
      const refuses = isJsonObject(said) && showRefusal(said);
      let isChanged = refuses || isBare;
      isRefused ||= refuses;
      if (isRefused && typeof choice["finish_reason"] === "string") {
        choice["finish_reason"] = "content_filter";
        isChanged = true;
      }
      if (typeof choice["finish_reason"] === "string" && choice["finish_reason"] !== "") hasReason = true;
      last = value;
      const message = choice["message"];
      const calls = isJsonObject(message) && Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
      for (const call of calls.filter(isJsonObject)) {
        const made = call["function"];
        if (!isJsonObject(made) || typeof made["arguments"] === "string") continue;
        made["arguments"] = JSON.stringify(made["arguments"] ?? {});
        isChanged = true;
      }
      return isChanged;
    },
    atEnd() {
      if (hasReason || !last) return undefined;
      const { id, created, model } = last;
      return {
        id,
        created,
        model,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
      };
    },
  };
}

function showRefusal(said: Json): boolean {
  const { refusal, content } = said;
  if (typeof refusal !== "string" || refusal === "" || (typeof content === "string" && content !== "")) return false;
  said["content"] = refusal;
  return true;
}

/** Reasons to end by their number, for gateways that pass enumerations on as they are stored. */
const reasonsByNumber = ["FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"];

function mendGoogle(value: Json): boolean {
  let isChanged = false;
  const put = (at: Json, name: string, mended: unknown) => {
    at[name] = mended;
    isChanged = true;
  };
  for (const candidate of Array.isArray(value["candidates"]) ? value["candidates"].filter(isJsonObject) : []) {
    const { finishReason: reason } = candidate;
    if (typeof reason === "number") put(candidate, "finishReason", reasonsByNumber[reason] ?? `${reason}`);
  }
  const usage = value["usageMetadata"];
  if (!isJsonObject(usage)) return isChanged;
  if (typeof usage["trafficType"] === "number") put(usage, "trafficType", `${usage["trafficType"]}`);
  for (const details of Object.values(usage)) {
    if (!Array.isArray(details)) continue;
    for (const detail of details.filter(isJsonObject)) {
      if (detail["tokenCount"] === undefined) put(detail, "tokenCount", 0);
      if (typeof detail["modality"] === "number") put(detail, "modality", `${detail["modality"]}`);
    }
  }
  return isChanged;
}

/** Places of a quotation that the package knows; any other makes it refuse the whole answer. */
const knownPlaces: ReadonlySet<unknown> = new Set(["web_search_result_location", "page_location", "char_location"]);

/** A result of a tool that the vendor ran in an earlier turn has no call in this answer; a quotation may be of an unknown kind. */
function mendAnthropic(value: Json): boolean {
  const { delta, content_block, content } = value;
  if (isJsonObject(delta) && delta["type"] === "citations_delta") {
    if (!isJsonObject(delta["citation"]) || knownPlaces.has(delta["citation"]["type"])) return false;
    value["type"] = "ping"; // passed over
    return true;
  }
  if (isJsonObject(content_block)) return leaveOutPlaces(content_block);
  if (!Array.isArray(content)) return false;
  const blocks = content.filter(isJsonObject);
  const called = new Set(blocks.map(({ id }) => id));
  const paired = blocks.filter(({ type, tool_use_id }) => type !== "mcp_tool_result" || called.has(tool_use_id));
  let isChanged = paired.length < content.length;
  if (isChanged) value["content"] = paired;
  for (const block of paired) isChanged = leaveOutPlaces(block) || isChanged;
  return isChanged;
}

function leaveOutPlaces(block: Json): boolean {
  const { citations } = block;
  if (!Array.isArray(citations)) return false;
  const known = citations.filter((each) => isJsonObject(each) && knownPlaces.has(each["type"]));
  if (known.length === citations.length) return false;
  block["citations"] = known;
  return true;
}

const knownItems: ReadonlySet<unknown> = new Set([
  "message",
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "local_shell_call",
  "function_call",
  "custom_tool_call",
  "computer_call",
  "reasoning",
  "mcp_call",
  "mcp_list_tools",
  "mcp_approval_request",
  "apply_patch_call",
  "shell_call",
  "shell_call_output",
  "tool_search_call",
  "tool_search_output",
]);

/** A server behind `/responses` may answer as it answers chat, or name an item otherwise in each of its events. */
function mendResponses(): Mend {
  const ids = new Map<unknown, unknown>();
  let isOfOtherApi = false;
  return {
    get isOfOtherApi() {
      return isOfOtherApi;
    },
    document(value) {
      if (Array.isArray(value["choices"])) isOfOtherApi = true;
      const isWhole = isJsonObject(value["item"]) && mendItem(value["item"], value["output_index"]);
      const isNamed = nameAsBefore(value, ids);
      return mendResponse(value) || isNamed || isWhole;
    },
    atEnd: () => undefined,
  };
}

/** An item is known by its place in the output; the name that it was announced with holds for all its events. */
function nameAsBefore(value: Json, ids: Map<unknown, unknown>): boolean {
  const { type, output_index: place, item, item_id } = value;
  if (place === undefined) return false;
  if (type === "response.output_item.added") {
    if (isJsonObject(item)) ids.set(place, item["id"]);
    return false;
  }
  const known = ids.get(place);
  if (typeof known !== "string") return false;
  let isChanged = false;
  if (typeof item_id === "string" && item_id !== known) {
    value["item_id"] = known;
    isChanged = true;
  }
  if (isJsonObject(item) && typeof item["id"] === "string" && item["id"] !== known) {
    item["id"] = known;
    isChanged = true;
  }
  return isChanged;
}

function mendResponse(value: Json): boolean {
  if (value["type"] === "response.output_text.annotation.added") {
    if (isWholeAnnotation(value["annotation"])) return false;
    value["type"] = "writ.left_out"; // an event of a kind that is not known is passed over
    return true;
  }
  if (value["type"] === "response.refusal.delta") {
    value["type"] = "response.output_text.delta";
    return true;
  }
  const response = isJsonObject(value["response"]) ? value["response"] : value;
  const output = response["output"];
  if (!Array.isArray(output)) return false;
  let isChanged = output.filter(isJsonObject).some(mendRefusal);
  if (isChanged) {
    response["status"] = "incomplete";
    response["incomplete_details"] = { reason: "content_filter" };
    if (value["type"] === "response.completed") value["type"] = "response.incomplete";
  }
  const items = output.filter((item): item is Json => isJsonObject(item) && knownItems.has(item["type"]));
  if (items.length < output.length) {
    response["output"] = items;
    isChanged = true;
  }
  for (const [at, item] of items.entries()) isChanged = mendItem(item, at) || isChanged;
  return isChanged;
}

/** A part that refuses becomes text: the end of the answer says what it is. */
function mendRefusal({ content }: Json): boolean {
  const refused = (Array.isArray(content) ? content.filter(isJsonObject) : []).filter(({ type }) => type === "refusal");
  for (const part of refused) {
    part["type"] = "output_text";
    part["text"] = part["refusal"];
    part["annotations"] = [];
  }
  return refused.length > 0;
}

function mendItem(item: Json, place: unknown): boolean {
  let isChanged = false;
  const put = (name: string, value: unknown) => {
    if (item[name] !== undefined) return;
    item[name] = value;
    isChanged = true;
  };
  if (knownItems.has(item["type"])) put("id", item["item_id"] ?? item["call_id"] ?? `item_${String(place)}`);
  if (item["type"] === "function_call" || item["type"] === "mcp_call") put("status", "completed");
  // Tools of a server that the vendor asked: the list is no part of the answer.
  if (item["type"] === "mcp_list_tools" && !(Array.isArray(item["tools"]) && item["tools"].length === 0)) {
    item["tools"] = [];
    isChanged = true;
  }
  if (item["type"] === "code_interpreter_call") {
    put("code", null);
    put("container_id", "");
    put("outputs", null);
  }
  if (item["type"] === "file_search_call" && Array.isArray(item["results"]))
    for (const result of item["results"].filter(isJsonObject)) {
      if (result["attributes"] !== undefined) continue;
      result["attributes"] = {};
      isChanged = true;
    }
  if (item["type"] !== "message" || !Array.isArray(item["content"])) return isChanged;
  for (const part of item["content"].filter(isJsonObject)) {
    const annotations = part["annotations"];
    if (!Array.isArray(annotations) || annotations.every(isWholeAnnotation)) continue;
    part["annotations"] = annotations.filter(isWholeAnnotation);
    isChanged = true;
  }
  return isChanged;
}

/** A place where an answer was found, as OpenAI describes it; other servers leave its title or its position out. */
function isWholeAnnotation(annotation: unknown): boolean {
  if (!isJsonObject(annotation) || annotation["type"] !== "url_citation") return true;
  return (
    ["start_index", "end_index"].every((key) => typeof annotation[key] === "number") &&
    typeof annotation["title"] === "string"
  );
}
