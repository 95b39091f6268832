import { expect, test } from "vitest";
import { fold } from "./fold.ts";
import { screenOf } from "./screen.ts";

const terminal = (columns: number) => screenOf({ write: () => {}, isTTY: true, columns }, { TERM: "xterm" });
const pipe = screenOf({ write: () => {}, isTTY: false, columns: 40 }, {});
const line = "  means    the bytes on disk are not the ones that were written: a changed byte, or an edit by hand";

test("a long line breaks between words, and continues under its text", () => {
  expect(fold(terminal(60), line, 11)).toBe(
    "  means    the bytes on disk are not the ones that were\n           written: a changed byte, or an edit by hand",
  );
});

test("a line that fits, and everything in a pipe, stays as it is", () => {
  expect(fold(terminal(120), line, 11)).toBe(line);
  expect(fold(pipe, line, 11)).toBe(line);
});

test("colours take no width, and a word longer than a line stays whole", () => {
  const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
  expect(fold(terminal(30), `${red("one two")} three four five six`, 2)).toBe(`${red("one two")} three four five six`);
  const hash = "a".repeat(64);
  expect(fold(terminal(40), `head ${hash} end`, 2)).toBe(`head\n  ${hash}\n  end`);
});
