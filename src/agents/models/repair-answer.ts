import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { PromptRequest, PromptResponse } from "./prompt.ts";
import { stripReasoning } from "./reader/strip-reasoning.ts";

/** What a model can put out, and what it was allowed at first. */
export interface OutputRoom {
  readonly allowed: number;
  /** The model's true maximum under the contract of the call; unknown: four times what was allowed. */
  readonly most: number;
  /** Where a person can allow more. */
  readonly setting: string;
}

type Send = (request: PromptRequest) => Promise<Result<PromptResponse>>;

/**
 * What an answer lacks decides what follows. Cut: the same question once more with all the room there is. Empty: one nudge.
 * Refused: the refusal, in the model's words, and no second try. The calls of an answer are its caller's to answer.
 */
export async function repairAnswer(
  request: PromptRequest,
  room: OutputRoom,
  send: Send,
): Promise<Result<PromptResponse>> {
  const first = await send(request);
  if (!first.ok) return first;
  switch (shortcomingOf(first.value)) {
    case undefined:
      return first;
    case "refused":
      return err(refusal(first.value));
    case "cut":
      return again(request, room, { first: first.value, send });
    case "empty":
      return nudged(request, room, send);
  }
}

function shortcomingOf({ finish_reason, text, tool_calls }: PromptResponse): "refused" | "cut" | "empty" | undefined {
  if (finish_reason === "safety") return "refused";
  if (finish_reason === "max_tokens") return "cut";
  if (tool_calls.length > 0) return undefined;
  const said = stripReasoning(text)?.text ?? text;
  return said.trim() === "" ? "empty" : undefined;
}

/** The cut answer leaves the conversation: half a text would be taken for a whole one, half a call for a call. */
async function again(
  request: PromptRequest,
  room: OutputRoom,
  { first, send }: { readonly first: PromptResponse; readonly send: Send },
): Promise<Result<PromptResponse>> {
  if (room.most <= room.allowed) return err(truncated(first, room.allowed, room));
  request.conversation.forgetLast();
  const second = await send({ ...request, messages: [], output_wanted: room.most });
  if (!second.ok) return second;
  switch (shortcomingOf(second.value)) {
    case "cut":
      return err(truncated(second.value, room.most, room));
    case "refused":
      return err(refusal(second.value));
    case "empty":
      return nudged(request, room, send);
    case undefined:
      return second;
  }
}

const nudge = "Your last message was empty. Answer the request, or say what keeps you from it.";

async function nudged(request: PromptRequest, room: OutputRoom, send: Send): Promise<Result<PromptResponse>> {
  const answered = await send({ ...request, messages: [{ role: "user", content: nudge }] });
  if (!answered.ok) return answered;
  switch (shortcomingOf(answered.value)) {
    case "empty":
      return err(
        domainError(
          "EMPTY_ANSWER",
          `the ${request.role} answered with nothing, and with nothing again when the router asked for an answer`,
          {
            details: { role: request.role, model: answered.value.model },
          },
        ),
      );
    case "cut":
      return err(truncated(answered.value, room.allowed, room));
    case "refused":
      return err(refusal(answered.value));
    case undefined:
      return ok(answered.value);
  }
}

function truncated({ model }: PromptResponse, tokens: number, { setting }: OutputRoom) {
  return domainError("OUTPUT_TRUNCATED", `the answer of ${model} was cut at ${tokens} tokens`, {
    details: { model, max_tokens: tokens, where: setting, hint: `allow more with ${setting}, or ask for less at once` },
  });
}

function refusal({ model, text }: PromptResponse) {
  const said = text.replaceAll(/\s+/g, " ").trim().slice(0, 400);
  return domainError("MODEL_REFUSED", `${model} refused to answer${said === "" ? "" : `: ${said}`}`, {
    details: { model, said },
  });
}
