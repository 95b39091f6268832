import { expect, test } from "vitest";
import { chance, draw } from "./corpus.fixture.ts";
import { createRedactor, type Redactor } from "./redactor.ts";

function redactor(): Redactor {
  const made = createRedactor();
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const body = (lines: number, last: number) =>
  [...Array.from({ length: lines - 1 }, () => 64), last].map((length) => draw(chance(`${lines}`), alphabet, length));

function keyFile(lines: readonly string[], lineBreak = "\n"): string {
  return [
    "PuTTY-User-Key-File-3: ssh-rsa",
    "Encryption: aes256-cbc",
    "Comment: ada@example.org",
    "Public-Lines: 1",
    "AAAAB3NzaC1yc2EAAAADAQABAAABAQ==",
    "Key-Derivation: Argon2id",
    `Private-Lines: ${lines.length}`,
    ...lines,
    `Private-MAC: ${"0a".repeat(32)}`,
    "",
  ].join(lineBreak);
}

test("the private lines of a PuTTY key are redacted, as many as there are, and nothing else", () => {
  const { redactText } = redactor();
  for (const lines of [body(1, 48), body(14, 4), body(56, 64)])
    for (const lineBreak of ["\n", "\r\n"]) {
      const text = keyFile(lines, lineBreak);
      const wanted = keyFile(["[REDACTED:private-key]"], lineBreak);
      const { text: left } = redactText(text);
      for (const line of lines) expect(left).not.toContain(line);
      expect(left.replace(/Private-Lines: \d+/, "")).toBe(wanted.replace(/Private-Lines: \d+/, ""));
      let nested = text;
      for (let depth = 0; depth < 4; depth++) {
        nested = JSON.stringify({ nested });
        for (const line of lines) expect(redactText(nested).text).not.toContain(line);
      }
    }
});

test("a truncated key is redacted up to its end", () => {
  const { redactText } = redactor();
  const lines = body(14, 64);
  const { text } = redactText(keyFile(lines).slice(0, -400));
  for (const line of lines) expect(text).not.toContain(line.slice(0, 20));
});

test("in a stream of any pieces, also of such that end with a line", () => {
  const redact = redactor();
  const text = `here it is:\n${keyFile(body(9, 20))}and that was it`;
  const whole = redact.redactText(text).text;
  const inPieces = (pieces: readonly string[]) => {
    const stream = redact.stream();
    return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
  };
  for (let cut = 1; cut < text.length; cut++) expect(inPieces([text.slice(0, cut), text.slice(cut)])).toBe(whole);
  expect(inPieces(text.split(/(?<=\n)/))).toBe(whole);
  expect(inPieces([...text])).toBe(whole);
  const long = `${keyFile(body(700, 20))}and that was it`;
  expect(inPieces(long.split(/(?<=\n)/))).toBe(redact.redactText(long).text);
});

test("text about such keys stays, and a stream shows it", () => {
  const redact = redactor();
  for (const text of [
    "Private-Lines: tells how many lines follow, and Private-MAC: closes the file",
    "Private-Lines: 2\nare two\nlines of it",
    "Public-Lines: 1\nAAAAB3NzaC1yc2EAAAADAQABAAABAQCzVxPLeNV2VyPoxsT3jzQx\n",
  ]) {
    expect(redact.redactText(text)).toEqual({ text, hits: [] });
    const stream = redact.stream();
    expect(stream.push(`${text} and so on. `) + stream.end()).toBe(`${text} and so on. `);
  }
});
