import { canonicalJson, type JsonValue, maxJsonDepth, ok, type Result } from "#core/values";
import { commandOf, mayBringPassword, passwordOfArgument } from "./argument-list.ts";
import { isCardNumber } from "./card.ts";
import { isPinnedName, isTellingKey } from "./credentials.ts";
import { shippedFinders, shippedKinds } from "./finders.ts";
import { isJsonWebKey, isPrivateMember } from "./json-web-key.ts";
import { everyMarker, markerFor } from "./marker.ts";
import { longestBroken, registeredFinders, spellingsOf } from "./registered.ts";
import { createScan, type Scan } from "./scan.ts";
import {
  type Mark,
  mostRounds,
  replace,
  resemblancesIn,
  type Seal,
  sealedText,
  secretsIn,
  withoutResemblance,
} from "./seal-text.ts";
import type { Span } from "./span.ts";
import { openSpelling, withBorders } from "./spelled.ts";
import { createRedactionStream, type RedactionStream } from "./stream.ts";
import { compilePatterns, type RedactionPattern } from "./workspace-patterns.ts";
import { ordinaryWriter, type WriteOrdinary } from "./write-ordinary.ts";

export interface RedactorOptions {
  /** Values of secrets that the workspace registered: never recorded in any form. */
  readonly secrets?: readonly string[];
  readonly patterns?: readonly RedactionPattern[];
}

/**
 * Takes secrets out of what is about to be recorded. Pure: the same input gives the same output, at any time, on any
 * machine.
 */
export interface Redactor {
  redactText(text: string): Redaction;
  /** `value` is the same reference when nothing was redacted, which is nearly always. Keys are scanned too. */
  redactJson<T>(value: T): { readonly value: T };
  /**
   * The same with a text of the caller's in place of each span, so that every other character stays as it was and the
   * value can be had back. `value` is the same reference when nothing was found.
   */
  sealJson<T>(value: T, seal: Seal): { readonly value: T };
  /** The spans of a text that would be redacted, for callers that show only a part of it. */
  secretsIn(text: string): readonly Span[];
  /** Markers and handles in a text, and what resembles them. */
  resemblances(text: string): readonly string[];
  /** Writes canonical JSON of a value without secrets and returns whether it did. One pass instead of three. */
  readonly writeOrdinary: WriteOrdinary;
  /** For text that arrives in pieces: a secret split over two of them is found as well. */
  stream(): RedactionStream;
}

export interface Redaction {
  readonly text: string;
  /** The kind of each redacted span, in order. */
  readonly hits: readonly string[];
}

export function createRedactor(options: RedactorOptions = {}): Result<Redactor> {
  const patterns = compilePatterns(options.patterns ?? []);
  if (!patterns.ok) return patterns;
  const secrets = options.secrets ?? [];
  const finders = [...registeredFinders(secrets), ...shippedFinders]; // a registered key gets its name
  const shortest = secrets.reduce((least, secret) => Math.min(least, secret.length), Number.POSITIVE_INFINITY);
  return ok(
    redactorOver(createScan(finders, patterns.value, shortest), {
      kinds: new Set([...shippedKinds, ...patterns.value.map(({ name }) => name)]),
      open: openIn(secrets),
      holdBack: Math.max(longestBroken(secrets), patterns.value.length > 0 ? patternReach : 0),
      looksAtNumbers: patterns.value.length > 0 || secrets.some((secret) => /^-?[0-9.]+$/.test(secret)),
    }),
  );
}

function openIn(secrets: readonly string[]): (text: string) => number {
  const spellings = spellingsOf(secrets).map(withBorders);
  return (text) => openSpelling(text, spellings);
}

/** A match of a workspace's pattern is found across two pieces of a stream up to this length. */
const patternReach = 256;

function redactorOver(
  scan: Scan,
  options: {
    readonly kinds: ReadonlySet<string>;
    readonly holdBack: number;
    /** Where a registered value may begin whose end has not arrived yet. */
    readonly open: (text: string) => number;
    /** Whether numbers other than cards may be redacted. */
    readonly looksAtNumbers: boolean;
  },
): Redactor {
  const cleanKeys = new Set<string>();

  const find = (text: string): readonly Span[] => {
    const spans = scan.find(text);
    return spans.length === 0 || !hasMarker(text) ? spans : outsideMarkers(text, spans, options.kinds);
  };

  const isMarkerKind = (kind: string) => options.kinds.has(kind);

  const redactText = (text: string): Redaction => {
    let spans = find(text);
    if (spans.length === 0) return { text, hits: [] };
    const hits: string[] = [];
    let redacted = text;
    for (let round = 0; round < mostRounds && spans.length > 0; round++) {
      for (const span of spans) hits.push(span.kind);
      redacted = replace(redacted, spans, markerFor);
      spans = find(redacted);
    }
    return { text: keepJson(text, redacted), hits };
  };

  /** Text that was JSON stays JSON, also where a bare number or a whole structure was redacted. */
  const keepJson = (text: string, redacted: string): string => {
    const first = text.trimStart()[0];
    if (first !== "{" && first !== "[") return redacted;
    const before = parse(text);
    if (before === undefined || depthOf(before) > maxJsonDepth) return redacted;
    const wanted = walk(before, redacting);
    const after = parse(redacted);
    return after !== undefined && canonicalJson(after) === canonicalJson(wanted) ? redacted : JSON.stringify(wanted);
  };

  const redacting: View = { mark: markerFor, text: (text) => redactText(text).text };

  const sealing = (seal: Seal): View => ({
    mark: seal.mark,
    seal,
    text: (text) => sealedText(text, seal.mark, { find, inStructure }),
  });

  /** What only the structure of a JSON text gives away: each value that the walk through it would redact. */
  const inStructure = (text: string): readonly { readonly kind: string; readonly value: JsonValue }[] => {
    const parsed = parse(text);
    if (parsed === undefined || depthOf(parsed) > maxJsonDepth) return [];
    const found: { readonly kind: string; readonly value: JsonValue }[] = [];
    const mark: Mark = (kind, value) => {
      found.push({ kind, value });
      return markerFor(kind);
    };
    walk(parsed, { ...redacting, mark, text: (inner) => replace(inner, find(inner), mark) });
    return found;
  };

  /** `key` is the name of the value, where it identifies a secret; `command` the program beside it. */
  const walk = <T>(value: T, view: View, key?: string, command?: string): T => {
    if (typeof value === "string") {
      const own = view.seal?.literals ? withoutResemblance(value, isMarkerKind, view.mark) : value;
      const text = key === undefined ? own : withoutNamed(own, key, view);
      const clean = find(text).length === 0 ? text : view.text(text);
      return (view.seal?.also ? view.seal.also(clean) : clean) as T;
    }
    if (typeof value === "number") return numberOrMarker(value, view.mark) as T;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      let copy: unknown[] | undefined;
      for (let index = 0; index < value.length; index++) {
        const item: unknown = value[index];
        const clean = walk(item, view, key);
        if (clean !== item) (copy ??= value.slice())[index] = clean;
      }
      return withoutPasswords(copy ?? value, command, view.mark) as T;
    }
    return walkObject(value as Record<string, unknown>, view) as T;
  };

  /** Redacts passwords that only the arguments around them identify. */
  const withoutPasswords = (items: readonly unknown[], command: string | undefined, mark: Mark): readonly unknown[] => {
    let copy: unknown[] | undefined;
    for (let at = 0; at < items.length; at++) {
      const found = passwordOfArgument(items, at, command);
      if (found) (copy ??= items.slice())[found.index] = replace(items[found.index] as string, [found], mark);
    }
    return copy ?? items;
  };

  /** Redacts a value that only its name identifies, as in text. */
  const withoutNamed = (value: string, key: string, { mark }: View): string => {
    const before = `"${key}":"`;
    const spans = find(before + value)
      .filter(({ start }) => start >= before.length)
      .map(({ start, end, kind }) => ({ start: start - before.length, end: end - before.length, kind }));
    return spans.length === 0 ? value : replace(value, spans, mark);
  };

  const numberOrMarker = (value: number, mark: Mark): number | string => {
    if (isCard(value)) return mark("card", value);
    const [span] = options.looksAtNumbers ? find(String(value)) : [];
    return span ? mark(span.kind, value) : value;
  };

  const walkObject = (record: Record<string, unknown>, view: View): Record<string, unknown> => {
    let areKeysChanged = false;
    let changes: Map<string, unknown> | undefined;
    const isKey = isJsonWebKey(record);
    const command = commandOf(record);
    for (const key in record) {
      const item = record[key];
      const clean =
        isKey && isPrivateMember(key, item)
          ? view.mark("private-key", item as JsonValue)
          : walk(
              item,
              view,
              isTellingKey(key) && !isPinnedName(key, item) ? key : undefined,
              Array.isArray(item) ? command : undefined,
            );
      if (clean !== item) (changes ??= new Map()).set(key, clean);
      if (!isCleanKey(key) || (mayChangeKey(view, key) && walk(key, view) !== key)) areKeysChanged = true;
    }
    if (!changes && !areKeysChanged) return record;
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(record)) {
      const name = areKeysChanged ? freeKey(copy, walk(key, view)) : key;
      // Defined, not assigned: `__proto__` is a key like any other here.
      Object.defineProperty(copy, name, {
        value: changes?.has(key) ? changes.get(key) : record[key],
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return copy;
  };

  /** The same few hundred keys recur with every event; known ones are not scanned again. */
  const isCleanKey = (key: string): boolean => {
    if (cleanKeys.has(key)) return true;
    if (find(key).length > 0) return false;
    if (cleanKeys.size < 4096 && key.length <= 64) cleanKeys.add(key);
    return true;
  };

  return {
    redactText,
    redactJson: (value) => ({ value: walk(value, redacting) }),
    sealJson: (value, seal) => ({ value: walk(value, sealing(seal)) }),
    secretsIn: (text) => secretsIn(text, { find, inStructure }),
    resemblances: (text) => resemblancesIn(text, isMarkerKind).map(([found]) => found),
    writeOrdinary: ordinaryWriter(scan.inspect, {
      isTelling: (key) => isTellingKey(key) || key === "kty",
      mayBringPassword,
      isHeld: options.looksAtNumbers ? (value) => numberOrMarker(value, markerFor) !== value : undefined,
    }),
    stream: () => createRedactionStream({ find, holdBack: options.holdBack, open: options.open }),
  };
}

function isCard(value: number): boolean {
  return value >= 1e13 && Number.isSafeInteger(value) && isCardNumber(String(value));
}

/** Two keys may become the same marker; both values are kept. */
function freeKey(record: object, key: string): string {
  let name = key;
  for (let count = 2; Object.hasOwn(record, name); count++) name = `${key}#${count}`;
  return name;
}

/** How redacted spans are written. */
interface View {
  readonly mark: Mark;
  /** A text with spans in it, written. */
  text(text: string): string;
  readonly seal?: Seal;
}

function mayChangeKey({ seal }: View, key: string): boolean {
  return seal !== undefined && (seal.also !== undefined || key.includes("["));
}

function hasMarker(text: string): boolean {
  return text.includes("[REDACTED:") || text.includes("[SEALED:");
}

/** A marker is never redacted again, so that redacting twice is redacting once; the rest of a span still is. */
function outsideMarkers(text: string, spans: readonly Span[], kinds: ReadonlySet<string>): readonly Span[] {
  const markers = [...text.matchAll(everyMarker)].filter(([, kind]) => kind === undefined || kinds.has(kind));
  if (markers.length === 0) return spans;
  const pieces: Span[] = [];
  let next = 0;
  for (const { start, end, kind } of spans) {
    while (next < markers.length && endOf(markers[next] as RegExpExecArray) <= start) next++;
    let from = start;
    for (let index = next; index < markers.length && (markers[index] as RegExpExecArray).index < end; index++) {
      const one = markers[index] as RegExpExecArray;
      if (one.index > from) pieces.push({ start: from, end: one.index, kind });
      from = endOf(one);
    }
    if (from < end) pieces.push({ start: from, end, kind });
  }
  return pieces;
}

function endOf(match: RegExpExecArray): number {
  return match.index + match[0].length;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined; // not JSON: nothing to preserve
  }
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null || depth > maxJsonDepth) return depth;
  let deepest = depth;
  for (const item of Object.values(value)) deepest = Math.max(deepest, depthOf(item, depth + 1));
  return deepest;
}
