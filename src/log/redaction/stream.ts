import { classOf, credential } from "./characters.ts";
import { cookiesIn } from "./cookie.ts";
import { jsonWebKeysIn } from "./json-web-key.ts";
import { markerFor } from "./marker.ts";
import { privateLinesName, puttyKeysIn } from "./putty-key.ts";
import { mergeSpans, type Span } from "./span.ts";

/** Redacts text that arrives in pieces. The output never ends within a secret. */
export interface RedactionStream {
  /** Takes a piece and returns what is safe to show now, which may be nothing. */
  push(piece: string): string;
  /** Returns the rest. */
  end(): string;
}

export interface StreamRules {
  /** The spans to redact. */
  find(text: string): readonly Span[];
  /** How much is always held back: the longest registered value with a blank in it, or the reach of a pattern. */
  readonly holdBack: number;
  /** Where something may begin that is a secret together with text that has not arrived yet. */
  open(text: string): number;
}

/** Text that was already shown but still counts as context: `host=…` before `password=…`. */
const contextLength = 256;
/** Text without a safe place to cut is held up to the first limit; a private key up to the second. */
const longestHeld = 16_384;
const longestKeyHeld = 65_536;
/** Shorter held text is scanned with every piece; longer text once it has grown by an eighth. */
const longestWatched = 1_024;
const keyStart = "-----BEGIN";
const keyEnd = /-----END[^-]{0,60}-----/;

export function createRedactionStream(rules: StreamRules): RedactionStream {
  let context = "";
  let pending = "";
  /** Set while a secret longer than the limit is being dropped. */
  let dropping: "word" | "key" | undefined;
  /** The length of the held text at which it is scanned again. */
  let nextLook = 0;

  const emit = (window: string, spans: readonly Span[], cut: number): string => {
    let text = "";
    let from = context.length;
    for (const span of spans) {
      if (span.end <= from || span.start >= cut) continue;
      text += window.slice(from, Math.max(from, span.start)) + markerFor(span.kind);
      from = span.end;
    }
    if (from < cut) text += window.slice(from, cut);
    pending = window.slice(cut);
    nextLook = 0;
    context = window.slice(Math.max(0, cut - contextLength), cut);
    return text;
  };

  const advance = (isLast: boolean): string => {
    if (dropping) {
      pending = pending.slice(endOfDropped(dropping, pending));
      if (pending === "") return "";
      dropping = undefined;
    }
    const window = context + pending;
    const spans = rules.find(window);
    if (isLast) return emit(window, spans, window.length);
    const cut = outside(
      spans,
      safeCut(window, context.length, Math.min(window.length - rules.holdBack, rules.open(window))),
    );
    if (cut > context.length) return emit(window, spans, cut);
    const isKey = window.includes(keyStart) || window.includes(privateLinesName);
    if (pending.length <= (isKey ? longestKeyHeld : longestHeld)) {
      nextLook = pending.length > longestWatched ? pending.length * 1.125 : 0;
      return "";
    }
    const last = spans.at(-1);
    if (!last || last.end < window.length - 512) return emit(window, spans, outside(spans, window.length - 512));
    dropping = isKey && last.kind === "private-key" ? "key" : "word";
    return emit(window, spans, window.length);
  };

  return {
    push: (piece) => {
      pending += piece;
      return pending.length < nextLook ? "" : advance(false);
    },
    end: () => advance(true),
  };
}

function endOfDropped(what: "word" | "key", text: string): number {
  if (what === "key") {
    const end = keyEnd.exec(text);
    return end ? end.index + end[0].length : text.length;
  }
  let at = 0;
  while (at < text.length && (classOf(text.charCodeAt(at)) & credential) !== 0) at++;
  return at;
}

/** A cut never falls into a span: it moves to the start of the span. */
function outside(spans: readonly Span[], cut: number): number {
  for (const span of spans) if (span.start < cut && cut < span.end) return span.start;
  return cut;
}

/** The last place after which no later text can belong to the text before it. */
function safeCut(window: string, least: number, most: number): number {
  const together = mergeSpans([...puttyKeysIn(window), ...jsonWebKeysIn(window), ...cookiesIn(window)]);
  let next = together.length - 1;
  for (let at = Math.min(most, openConstruct(window)); at > least; at--) {
    const code = window.charCodeAt(at - 1);
    const isBlank = code === 0x20 || code === 0x0a || code === 0x0d;
    if (!(isBlank || code > 0x2fff) || !isClosed(window, at)) continue;
    while (next >= 0 && (together[next] as Span).start >= at) next--;
    const whole = together[next];
    if (!whole || whole.end <= at) return at;
    at = whole.start + 1; // on from where it begins
  }
  return least;
}

/** The start of a construct whose end or context has not arrived yet. */
function openConstruct(window: string): number {
  let open = window.length;
  const key = window.lastIndexOf(keyStart);
  if (key >= 0 && !keyEnd.test(window.slice(key))) open = key;
  parameter.lastIndex = Math.max(0, window.length - 520);
  const found = parameter.exec(window);
  return found ? Math.min(open, found.index) : open;
}

/** The names before a value that may contain blanks. */
const parameter =
  /(?:password|pwd|sshpass|rediscli_auth) ?=|(?:pgpassword|_pwd|sshpass|rediscli_auth)\\*["'] ?:|(?:\s-u|--user|sshpass)\s|\s-p["'\\]/gi;
const opensValue = /(?:authorization|bearer|basic|key|password|pwd|sig)["'\\:=\s]*$/i;
const endsInDigits = /\p{Nd}[\s\-._+·\u00a0\u2000-\u2015\u202f\u2060\u2212\u3000\ufeff－\u00ad]*$/u;

function isClosed(window: string, at: number): boolean {
  const tail = window.slice(Math.max(0, at - 48), at);
  return !endsInDigits.test(tail) && !opensValue.test(tail) && !/-----?[A-Z ]*$/.test(tail);
}
