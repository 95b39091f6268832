import { domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result } from "#core/values";
import { type Member, membersOf, startOf } from "./json-spans.ts";
import { objectOf } from "./read-request.ts";

/** An answer in one piece, as an object with the places of its members. */
export function readAnswer(
  text: string,
): Result<{ readonly document: JsonObject; readonly members: readonly Member[] }> {
  const document = objectOf(text);
  if (document) return ok({ document, members: membersOf(text, startOf(text)) });
  return err(domainError("PROVIDER_ERROR", "the answer cannot be read: it is no JSON object"));
}
