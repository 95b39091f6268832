import type { MandateV1 } from "#core/contracts";
import { canonicalJson, isJsonObject, type JsonObject, type Sha256, sha256 } from "#core/values";

/** What is said of one tool where values are judged. */
export type ToolValues = NonNullable<NonNullable<MandateV1["values"]>["approved"]>[string];

/**
 * What a person declared of a tool's values when they approved it is a member of the definition that is pinned: it is hashed
 * with it, and a declaration that changes is a tool that changed. A server that sends the member itself is refused.
 */
export const declaredMember = "writ/values";

export function declaredValues(definition: JsonObject): ToolValues | undefined {
  const declared = definition[declaredMember];
  return isJsonObject(declared) ? declared : undefined;
}

export function withDeclared(definition: JsonObject, declared: ToolValues | undefined): JsonObject {
  return declared === undefined || Object.keys(declared).length === 0
    ? definition
    : { ...definition, [declaredMember]: declared as JsonObject };
}

/** The definition as its server gave it. */
export function withoutDeclared({ [declaredMember]: _, ...offered }: JsonObject): JsonObject {
  return offered;
}

/** The hash of what its server gave. */
export function offeredHash({ hash, definition }: { readonly hash: Sha256; readonly definition: JsonObject }): Sha256 {
  return Object.hasOwn(definition, declaredMember) ? sha256(canonicalJson(withoutDeclared(definition))) : hash;
}
