import type { IncomingHttpHeaders } from "node:http";
import { domainError } from "#core/errors";
import { err, type JsonValue, ok, parseJson, type Result } from "#core/values";

/** Parses a body. Other encodings are refused: their text would be recorded differently from what was sent. */
export function readJsonBody(bytes: Uint8Array, headers: IncomingHttpHeaders): Result<JsonValue | undefined> {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers["content-type"] ?? "")?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) return wrongType(`bodies are UTF-8, not ${charset}`);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") return wrongType(`bodies are sent as they are, not as ${encoding}`);
  const text = decode(bytes);
  if (text === undefined) return err(domainError("MALFORMED_INPUT", "the body is not UTF-8"));
  return text === "" ? ok(undefined) : parseJson(text);
}

function wrongType(message: string): Result<never> {
  return err(domainError("WRONG_MEDIA_TYPE", message));
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined; // not UTF-8
  }
}
