import { expect, test } from "vitest";
import type { Event } from "../event.ts";
import { findWords } from "./find-words.ts";

const event = {
  type: "tool.invoke",
  actor: "worker",
  payload: {
    name: "fs.write",
    args: { path: "notes/Tea.md", content: "Water at 75 degrees for caf\u00e9s", mode: 420 },
  },
} as unknown as Event;
const finds = (text: string) => findWords(text)(event);

test("all words must occur, anywhere in what the event says, in any case and order", () => {
  expect(["tea.MD", "degrees water", "75", "420", "worker invoke", "tool."].filter((text) => !finds(text))).toEqual([]);
  expect(["coffee", "water coffee", "waters"].filter(finds)).toEqual([]);
});

test("a quoted phrase is found literally; the name of a field is no word", () => {
  expect([finds('"at 75 degrees"'), finds('"75 at"'), finds('water "at 75"')]).toEqual([true, false, true]);
  expect([finds("content"), finds("path"), finds("args")]).toEqual([false, false, false]);
});

test("a letter is the same however it is put together", () => {
  expect(finds("CAFE\u0301S")).toBe(true);
});
