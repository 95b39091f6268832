import { isUtf8 } from "node:buffer";
import { domainError } from "#core/errors";
import {
  err,
  isJsonObject,
  isSessionId,
  type JsonValue,
  ok,
  parseJson,
  type Result,
  type SessionId,
} from "#core/values";
import type { Portion } from "#log";
import { pageAround, recordBegins } from "../bundle/bundle-page.ts";
import type { ByteCursor } from "./byte-cursor.ts";
import { cannotGoOn, maxLineBytes, tooLong } from "./exported-lines.ts";

/** The page around the record is about ten kilobytes; what has no record in so many is no bundle. */
const pageBytes = 64 * 1024;
/** What stands before the events: five short members. */
const headBytes = 4 * 1024;
const proofBytes = 1024 * 1024;
const portionLines = 256;
/** In JSON within JSON, quotes and backslashes take two bytes. */
const maxLiteralBytes = 2 * maxLineBytes;

const quote = 34;
const backslash = 92;

/**
 * Reads a bundle once, from its first byte to its last, and holds one portion of it at a time. The members must stand where
 * `writeBundle` puts them, each once: a record that a browser would read otherwise than this reader is not accepted.
 */
export class BundleReader {
  readonly #cursor: ByteCursor;
  readonly session_id: SessionId;
  /** Whether everything up to the record is what this Writ writes. */
  readonly #isOwnPage: boolean;
  /** What must come next; a member that was not read to its end leaves nothing behind it to be read. */
  #next: "events" | "exec" | "evidence" | "proof" | "nothing" = "events";

  private constructor(cursor: ByteCursor, session_id: SessionId, isOwnPage: boolean) {
    this.#cursor = cursor;
    this.session_id = session_id;
    this.#isOwnPage = isOwnPage;
  }

  /** Undefined where the bytes are no bundle at all. */
  static async open(cursor: ByteCursor): Promise<Result<BundleReader> | undefined> {
    await cursor.reach(pageBytes);
    const at = cursor.pending.subarray(0, pageBytes).indexOf(recordBegins);
    if (at < 0) return undefined;
    const before = cursor.take(at + recordBegins.length).toString("utf8");
    const end = ',"events":[';
    await cursor.reach(headBytes);
    const length = cursor.pending.subarray(0, headBytes).indexOf(end);
    if (length < 0) return err(notABundle("it has no events where they should begin"));
    const head = parseJson(`${cursor.take(length).toString("utf8")}}`);
    cursor.take(end.length);
    if (!head.ok) return err(notABundle(head.error.message));
    const session_id = sessionOf(head.value);
    if (!session_id.ok) return session_id;
    return ok(new BundleReader(cursor, session_id.value, pageAround(session_id.value).before === before));
  }

  /** In the order in which they stand: events, exec, evidence. Undefined out of turn. */
  lines(member: "events" | "exec" | "evidence"): AsyncGenerator<Result<Portion>> | undefined {
    if (this.#next !== member) return undefined;
    this.#next = "nothing";
    return this.#list(member);
  }

  async *#list(member: "events" | "exec" | "evidence"): AsyncGenerator<Result<Portion>> {
    const following = { events: "exec", exec: "evidence", evidence: "proof" } as const;
    let texts: string[] = [];
    for (let number = 1; ; number++) {
      const literal = await this.#element(`entry ${number} of the bundle's ${member}`, number === 1);
      if (!literal.ok) {
        if (texts.length > 0) yield ok({ texts, fault: undefined, bytes: 0 });
        yield literal;
        return;
      }
      if (literal.value === undefined) break;
      texts.push(literal.value);
      if (texts.length < portionLines) continue;
      yield ok({ texts, fault: undefined, bytes: 0 });
      texts = [];
    }
    if (texts.length > 0) yield ok({ texts, fault: undefined, bytes: 0 });
    const name = following[member];
    const begun = await this.#expect(name === "proof" ? ',"proof":' : `,"${name}":[`, `behind its ${member}`);
    if (begun.ok) this.#next = name;
    else yield begun;
  }

  /** The proof, unproven, and whether the page is the one that this Writ writes; undefined when something before it was not read. */
  async end(): Promise<Result<{ readonly proof: JsonValue; readonly isOwnPage: boolean }> | undefined> {
    if (this.#next !== "proof") return undefined;
    this.#next = "nothing";
    const cursor = this.#cursor;
    let length = cursor.pending.indexOf("<");
    while (length < 0 && cursor.pending.length <= proofBytes && (await cursor.more()))
      length = cursor.pending.indexOf("<");
    if (length < 0) return cursor.pending.length > proofBytes ? tooLong("the bundle's proof") : this.#cut();
    const text = cursor.take(length).toString("utf8");
    const proof = text.endsWith("}") ? parseJson(text.slice(0, -1)) : err(notABundle("its record does not end"));
    if (!proof.ok) return err(notABundle(`its proof is ${proof.error.message}`));
    return ok({ proof: proof.value, isOwnPage: this.#isOwnPage && (await this.#endsAsOwn()) });
  }

  async #endsAsOwn(): Promise<boolean> {
    const after = Buffer.from(pageAround(this.session_id).after);
    await this.#cursor.reach(after.length + 1);
    return this.#cursor.pending.equals(after);
  }

  /** The next string of a list; undefined behind the last one. */
  async #element(what: string, isFirst: boolean): Promise<Result<string | undefined>> {
    const cursor = this.#cursor;
    await cursor.reach(2);
    if (cursor.pending[0] === 93) {
      cursor.take(1);
      return ok(undefined);
    }
    const opening = isFirst ? '"' : ',"';
    const begun = await this.#expect(opening, `at ${what}`);
    if (!begun.ok) return begun;
    let from = 0;
    for (;;) {
      const end = endOfString(cursor.pending, from);
      if (end >= 0) return decoded(cursor.take(end + 1), what);
      from = cursor.pending.length;
      if (from > maxLiteralBytes) return tooLong(what);
      if (!(await cursor.more())) return this.#cut();
    }
  }

  async #expect(text: string, where: string): Promise<Result<void>> {
    await this.#cursor.reach(text.length);
    if (this.#cursor.pending.length < text.length) return this.#cut();
    if (this.#cursor.take(text.length).toString("latin1") === text) return ok(undefined);
    return err(notABundle(`${JSON.stringify(text)} is expected ${where}`));
  }

  #cut(): Result<never> {
    return cannotGoOn(this.#cursor.failure ?? "the bundle ends in the middle, its end was cut off");
  }
}

/** Where the string ends that goes on from here; -1 when that has not come yet. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let slashes = 0;
    while (slashes < at && bytes[at - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

/** A line of a file has no line break in it: with one, two lines here would be three there. */
function decoded(literal: Buffer, what: string): Result<string> {
  if (!isUtf8(literal)) return err(notABundle(`${what} is not UTF-8`));
  const text = parseJson(`"${literal.toString("utf8")}`);
  if (!text.ok) return err(notABundle(`${what} is ${text.error.message}`));
  const line = text.value as string;
  return line.includes("\n") ? err(notABundle(`${what} is more than one line`)) : ok(line);
}

function sessionOf(head: JsonValue): Result<SessionId> {
  const known = ["format", "version", "writ_version", "exported_at", "session_id"];
  if (!isJsonObject(head) || head["format"] !== "writ-proof-bundle" || Object.keys(head).join() !== known.join())
    return err(notABundle(`it does not begin with ${known.join(", ")}`));
  const { version, session_id } = head;
  if (version !== 1) return err(notABundle(`it has the version ${JSON.stringify(version)}, this Writ reads 1`));
  return typeof session_id === "string" && isSessionId(session_id)
    ? ok(session_id)
    : err(notABundle(`${JSON.stringify(session_id)} is no id of a session`));
}

function notABundle(why: string) {
  return domainError("MALFORMED_INPUT", `the bundle is not as \`writ session export --bundle\` writes it: ${why}`);
}
