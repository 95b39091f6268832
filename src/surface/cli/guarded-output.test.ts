import { expect, test } from "vitest";
import { screenOf } from "#core/terminal";
import { guardedOutput } from "./guarded-output.ts";

const title = "\u001b]0;owned\u0007";
const link = "\u001b]8;;http://evil.example/\u001b\\here\u001b]8;;\u001b\\";

function terminal(isTTY = true, env: Record<string, string> = { TERM: "xterm", LANG: "C.UTF-8" }) {
  let written = "";
  const device = { write: (text: string) => void (written += text), isTTY, columns: 80 };
  return { output: guardedOutput(device, env), screen: screenOf(device, env), written: () => written };
}

test.for([
  ["a title", title, "\\u001b]0;owned\\u0007"],
  ["a link", link, "\\u001b]8;;http://evil.example/\\u001b\\here\\u001b]8;;\\u001b\\"],
  ["an erased screen", "\u001b[2J\u001b[H", "\\u001b[2J\\u001b[H"],
  ["one in eight bits", "\u009b2J\u009d0;x\u009c", "\\u009b2J\\u009d0;x\\u009c"],
  ["a line written over", "denied\rallowed", "denied\\u000dallowed"],
  ["a letter taken back", "rm -rf\b\b\b\b\b\bls", "rm -rf\\u0008\\u0008\\u0008\\u0008\\u0008\\u0008ls"],
  ["hidden text", "\u001b[8msecret\u001b[28m", "\\u001b[8msecret\\u001b[28m"],
  ["another direction", "a\u202eb\u2066c", "a\\u202eb\\u2066c"],
] as const)("%s is written out and not obeyed", ([, hostile, shown]) => {
  const { output, written } = terminal();
  output.write(`text: ${hostile}\n`);
  expect(written()).toBe(`text: ${shown}\n`);
});

test("lines, tabs, every script and Writ's own colours stay as they are", () => {
  const { output, screen, written } = terminal();
  const printed = `${screen.bold(screen.green("done"))}\tGrüße, 世界 👩‍👩‍👧\n${screen.dim("x")}`;
  output.write(printed);
  expect(printed).toContain("\u001b[32m");
  expect(written()).toBe(printed);
});

test("where nothing is painted no colour passes either", () => {
  const { output, written } = terminal(false);
  output.write("\u001b[32mverified\u001b[39m\r\n");
  expect(written()).toBe("\\u001b[32mverified\\u001b[39m\n");
});

test("a line is drawn anew only where a write begins with it", () => {
  const { output, written } = terminal();
  output.write("\r\u001b[2Kworking\r\u001b[2Kforged");
  expect(written()).toBe("\r\u001b[2Kworking\\u000d\\u001b[2Kforged");
});

test("a JSON text says the same as before", () => {
  const { output, written } = terminal(false);
  const said = { name: `ec${title}ho\u009b2J\u202e\u007f` };
  output.write(`${JSON.stringify(said)}\n`);
  expect(written()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(JSON.parse(written())).toEqual(said);
});

test("a document goes into a pipe byte for byte, and to a terminal written out", () => {
  const document = `# ${title}\r\n\u009b\n`;
  const pipe = terminal(false);
  pipe.output.writeDocument?.(document);
  expect(pipe.written()).toBe(document);
  const { output, written } = terminal();
  output.writeDocument?.(document);
  expect(written()).toBe("# \\u001b]0;owned\\u0007\n\\u009b\n");
});
