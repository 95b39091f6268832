import { expect, test } from "vitest";
import { chance, draw } from "./corpus.fixture.ts";
import { createRedactor, type Redactor } from "./redactor.ts";

function redactor(): Redactor {
  const made = createRedactor();
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const number = (name: string, length: number) => draw(chance(name), alphabet, length);
const rsa = {
  kty: "RSA",
  n: number("n", 342),
  e: "AQAB",
  d: number("d", 342),
  p: number("p", 171),
  q: number("q", 171),
  dp: number("dp", 171),
  dq: number("dq", 171),
  qi: number("qi", 171),
  alg: "RS256",
  kid: "2026-11-15",
};
const keys: readonly (readonly [key: Readonly<Record<string, string>>, secret: readonly string[]])[] = [
  [rsa, ["d", "p", "q", "dp", "dq", "qi"]],
  [Object.fromEntries(Object.entries(rsa).toReversed()), ["d", "p", "q", "dp", "dq", "qi"]],
  [{ d: number("ec", 43), crv: "P-256", x: number("x", 43), y: number("y", 43), kty: "EC" }, ["d"]],
  [{ kty: "oct", k: number("k", 22), use: "sig" }, ["k"]],
];

test("the private members of a JSON Web Key are redacted, in any order, the public ones stay", () => {
  const { redactText, redactJson } = redactor();
  for (const [key, secret] of keys) {
    const wanted = { ...key, ...Object.fromEntries(secret.map((name) => [name, "[REDACTED:private-key]"])) };
    expect(redactJson({ keys: [key] }).value).toEqual({ keys: [wanted] });
    for (const indent of [0, 2])
      expect(JSON.parse(redactText(JSON.stringify({ keys: [key] }, null, indent)).text)).toEqual({ keys: [wanted] });
    const quoted = (value: unknown) => `my key is ${JSON.stringify(value, null, 1)}, keep it`;
    expect(redactText(quoted(key)).text).toBe(quoted(wanted));
    let nested: unknown = quoted(key);
    for (let depth = 0; depth < 4; depth++) {
      nested = { text: JSON.stringify(nested) };
      const left = JSON.stringify(redactJson(nested).value);
      for (const name of secret) expect(left).not.toContain(key[name]);
      expect(left).toContain(secret.includes("d") ? (key["x"] ?? key["n"]) : "oct");
    }
  }
});

test("in a stream of any pieces, whether its kind comes first or last", () => {
  const redact = redactor();
  for (const [key] of keys) {
    const spaced = JSON.stringify(key).replaceAll('":"', '": "').replaceAll('","', '", "');
    for (const text of [`here:\n${JSON.stringify(key, null, 2)}\nand that was it`, `here: {"keys":[${spaced}]} is all`])
      inAnyPieces(redact, text);
  }
});

function inAnyPieces(redact: Redactor, text: string): void {
  const whole = redact.redactText(text).text;
  const inPieces = (size: number, from: number) => {
    const stream = redact.stream();
    let shown = stream.push(text.slice(0, from));
    for (let at = from; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
    return shown + stream.end();
  };
  expect(whole).toContain("[REDACTED:private-key]");
  for (let cut = 1; cut < text.length; cut++) expect(inPieces(text.length, cut)).toBe(whole);
  for (const size of [1, 7, 60]) expect(inPieces(size, 0)).toBe(whole);
}

test("public keys and other short names stay, and a stream continues to show them", () => {
  const redact = redactor();
  const { d: _, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...open } = rsa;
  for (const value of [
    { keys: [open] },
    { d: number("digest", 64), k: number("key", 40) },
    { kty: "RSA", d: "2026-11-15", k: "v", q: "where is the key of the house that we live in" },
  ]) {
    const text = JSON.stringify(value);
    expect(redact.redactText(text)).toEqual({ text, hits: [] });
    expect(redact.redactJson(value).value).toBe(value);
  }
  const stream = redact.stream();
  expect(stream.push('press "q" ')).toBe("press ");
  expect(stream.push("to quit ")).toBe('"q" to quit ');
});
