import { expect, test } from "vitest";
import { tellingBlocks } from "./telling-blocks.ts";

const filler = "Nothing of interest is said in this paragraph. ".repeat(12).trim();

test("a long passage is quoted for what it says about the question, with the very lines", () => {
  const text = [filler, "", "The bees rest:", "", "- in winter", "- at night", "", filler, "", "Bees dance."].join(
    "\n",
  );
  const blocks = tellingBlocks({ text, start_line: 11, end_line: 20 }, ["bees"]);
  expect(blocks).toEqual([
    { text: "The bees rest:\n\n- in winter\n- at night", start_line: 13, end_line: 16 },
    { text: "Bees dance.", start_line: 20, end_line: 20 },
  ]);
});

test("a short passage is quoted whole, and one that says nothing of it with its first words", () => {
  const short = { text: "Bees.\n\nWasps.", start_line: 1, end_line: 3 };
  expect(tellingBlocks(short, ["wasps"])).toEqual([short]);
  const long = {
    text: ["| a | b |", "", "First words.", "", filler, "", filler].join("\n"),
    start_line: 5,
    end_line: 11,
  };
  expect(tellingBlocks(long, ["bees"])).toEqual([{ text: "First words.", start_line: 7, end_line: 7 }]);
});
