import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chance, draw, ownPattern, registered, secretKinds } from "./corpus.fixture.ts";
import { createRedactor, type Redactor, type RedactorOptions } from "./redactor.ts";
import { createRedactionStream } from "./stream.ts";

function redactor(options: RedactorOptions = { secrets: [registered], patterns: [ownPattern] }): Redactor {
  const made = createRedactor(options);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

/** A workspace's own pattern holds all text back for a while and hides what else is held: the second has none. */
const redactors: readonly Redactor[] = [redactor(), redactor({})];

function inPieces(redact: Redactor, pieces: readonly string[]): string {
  const stream = redact.stream();
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

const texts = secretKinds.flatMap(({ kind, make, dress }) => {
  const secret = make(chance(`stream ${kind}`));
  const dressed = dress ? dress(secret) : secret;
  return [
    dressed,
    `Before it, some words. ${dressed} And then, after it, more words.`,
    `${"x ".repeat(200)}${dressed}\n${"y ".repeat(200)}`,
  ];
});

describe("a stream", () => {
  test("of any pieces gives what the whole text would give", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...redactors),
        fc.constantFrom(...texts),
        fc.constantFrom(...texts),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
        (redact, one, two, sizes) => {
          const text = `${one} ${two}`;
          const pieces: string[] = [];
          for (let at = 0, turn = 0; at < text.length; turn++) {
            const size = sizes[turn % sizes.length] as number;
            pieces.push(text.slice(at, at + size));
            at += size;
          }
          expect(inPieces(redact, pieces)).toBe(redact.redactText(text).text);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test("cut at any one place never shows the secret", () => {
    for (const redact of redactors)
      for (const text of texts) {
        const whole = redact.redactText(text).text;
        for (let cut = 1; cut < text.length; cut += 3)
          expect(inPieces(redact, [text.slice(0, cut), text.slice(cut)]), `${text}, cut at ${cut}`).toBe(whole);
      }
  });

  test("shows nothing of groups, lines or a named value before all of it was seen", () => {
    const redact = redactor({});
    const base64 = draw(chance("lines"), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 64);
    for (const text of [
      "pay with 4111 1111 1111 1111 today",
      "pay with 4111\u00a01111\u00a01111\u00a01111 today",
      "pay with 3782 822463 10005, please",
      "pay with 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 now",
      "4111 - 1111 - 1111 - 1111",
      `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${`${base64}\n`.repeat(4)}-----END RSA PRIVATE KEY-----\nso it is`,
      "host=db password = 'my own dog' user=ada",
      "Authorization: Token 9fJ2kLq81ZxTb7Vn3RwYc5Md and more",
    ]) {
      const whole = redact.redactText(text).text;
      expect(whole).toContain("[REDACTED:");
      for (let cut = 1; cut < text.length; cut++)
        expect(inPieces(redact, [text.slice(0, cut), text.slice(cut)]), `cut at ${cut}`).toBe(whole);
      expect(inPieces(redact, [...text])).toBe(whole);
      expect(inPieces(redact, text.split(/(?<= )/))).toBe(whole);
    }
  });

  test("a private key without end is dropped line by line, up to its end or for ever", () => {
    const redact = redactor({});
    const line = `${draw(chance("endless"), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 64)}\n`;
    const stream = redact.stream();
    let text = stream.push("-----BEGIN PRIVATE KEY-----\n");
    for (let piece = 0; piece < 3_000; piece++) text += stream.push(line);
    expect(text + stream.push("-----END PRIVATE KEY-----\nafter it ") + stream.end()).toBe(
      "[REDACTED:private-key]\nafter it ",
    );
  });

  test("shows ordinary words as they arrive, also where words have no blanks between them", () => {
    const stream = createRedactor();
    if (!stream.ok) throw new Error(stream.error.message);
    const live = stream.value.stream();
    expect(live.push("Hello ")).toBe("Hello ");
    expect(live.push("Ada, how ")).toBe("Ada, how ");
    expect(live.push("are")).toBe("");
    expect(live.push(" you")).toBe("are ");
    expect(live.push("？你好")).toBe("you？你好");
    expect(live.end()).toBe("");
  });

  test("holds a bounded amount: a run without end is passed on, a secret without end is dropped", () => {
    const redact = redactor({});
    const plain = redact.stream();
    let shown = 0;
    for (let piece = 0; piece < 100; piece++) shown += plain.push("ab".repeat(1000)).length;
    expect(200_000 - shown).toBeLessThan(20_000);
    const secret = redact.stream();
    let text = secret.push("sk-ant-");
    for (let piece = 0; piece < 100; piece++) text += secret.push("Ab3".repeat(1000));
    expect(text + secret.push(" end ") + secret.end()).toBe("[REDACTED:anthropic-key] end ");
  });

  test.each(["password= ", '"d": ', "-----BEGIN ", "4111 1111 "])(
    "looks seldom at what it must hold for long: %j again and again, in small pieces",
    (word) => {
      let looks = 0;
      const stream = createRedactionStream({
        find: (text) => {
          looks += text.length;
          return [];
        },
        holdBack: 0,
        open: (text) => text.length,
      });
      const text = word.repeat(100_000 / word.length);
      let shown = "";
      for (let at = 0; at < text.length; at += 10) shown += stream.push(text.slice(at, at + 10));
      expect(shown + stream.end()).toBe(text);
      expect(looks / text.length).toBeLessThan(60); // each character was scanned 800 times, a second for 12 kB
    },
  );
});
