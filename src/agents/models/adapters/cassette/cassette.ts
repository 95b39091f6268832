import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, ok, parseJson, type Result, type Sha256, sha256 } from "#core/values";
import { everyHandle, markerFor } from "#log/redaction";
import type { AnyCompletionResponse, CompletionRequest } from "../../completion.ts";

/** Where a cassette lies. */
export interface Tape {
  /** How messages name it. */
  readonly name: string;
  read(): Promise<Result<string>>;
  append(line: string): Promise<Result<void>>;
}

/** What makes two requests the same. How much the answer may cost depends on what is left of a budget, and does not count. */
export function requestHash(request: CompletionRequest): Sha256 {
  const { model, tools, temperature, messages } = request;
  // How the form of the answer is asked for, and what a provider wants back, are no part of the question: a cassette of an
  // older Writ answers it too.
  const plain = messages.map(({ opaque: _, ...message }) => message);
  const asked = {
    messages: plain,
    model,
    ...(tools === undefined ? {} : { tools }),
    ...(temperature === undefined ? {} : { temperature }),
    schema_version: "v1",
  };
  // A handle is its session's own: without its end it is the same question in another one.
  return sha256(canonicalJson(asked).replace(everyHandle, (_, kind: string) => markerFor(kind)));
}

/** The answers of a cassette by the hash of their request, each list in the order of recording. */
export type Recorded = ReadonlyMap<string, readonly AnyCompletionResponse[]>;

export function readCassette(text: string, name: string, schemas: SchemaRegistry): Result<Recorded> {
  const recorded = new Map<string, AnyCompletionResponse[]>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const parsed = parseJson(line);
    const entry = parsed.ok ? schemas.validate("cassette_entry_v1", parsed.value) : parsed;
    if (!entry.ok)
      return err(
        domainError("MALFORMED_INPUT", `${name}:${index + 1} is no entry of a cassette: ${entry.error.message}`, {
          details: { cassette: name, line: index + 1 },
        }),
      );
    const { request_hash, response } = entry.value;
    const answers = recorded.get(request_hash) ?? [];
    answers.push(response as unknown as AnyCompletionResponse); // the router checks it, as it checks every answer
    recorded.set(request_hash, answers);
  }
  return ok(recorded);
}
