import { domainError } from "#core/errors";
import { err, isJsonObject, ok, parseJson, type Result, sha256 } from "#core/values";
import type { AssembledContext } from "./attention-service.ts";
import { contextHash, type Fragment } from "./fragment.ts";
import { buildPrompt } from "./prompt/prompt-builder.ts";

/** A context as it is kept beside the log, which names it by its hash and leaves its text out. */
export function keptContext(context: AssembledContext): string {
  return JSON.stringify(context);
}

/** Takes a kept context only if every fragment is what the hash in the log says, and rebuilds the text from them. */
export function readKeptContext(text: string, context_hash: string): Result<AssembledContext> {
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value) || !Array.isArray(parsed.value["fragments"]))
    return err(changed(context_hash));
  const context = parsed.value as unknown as AssembledContext;
  const fragments: readonly Fragment[] = context.fragments;
  const sound = fragments.every((each) => sha256(each.text) === each.hash) && contextHash(fragments) === context_hash;
  return sound ? ok({ ...context, text: buildPrompt(fragments) }) : err(changed(context_hash));
}

function changed(context_hash: string) {
  return domainError("REPLAY_DIVERGED", `the kept context ${context_hash} is not what the log says it was`);
}
