import { expect, test } from "vitest";
import { applyLiteralEdits, editMissing, literalEdits } from "./literal-edit.ts";

test("a request that spells its edits out is read in its order; one that must be thought of holds none", () => {
  expect(
    literalEdits("Replace \"a b\" with 'c' in x.ts, then rename old to newer, and add the line `- d` to y.md"),
  ).toEqual([
    { kind: "replace", find: "a b", put: "c" },
    { kind: "rename", find: "old", put: "newer" },
    { kind: "append", line: "- d" },
  ]);
  expect(literalEdits('Create notes/a.md with "words"')).toEqual([{ kind: "create", text: "words" }]);
  expect(literalEdits("Make the greeting friendlier and handle errors")).toEqual([]);
});

test("edits change what they name and nothing else, and say what they could not do", () => {
  const before = 'import { limit } from "./limit.ts";\nconst limits = [limit]; // $& stays\n';
  expect(applyLiteralEdits(before, [{ kind: "rename", find: "limit", put: "$&cap" }])).toEqual({
    content: 'import { $&cap } from "./limit.ts";\nconst limits = [$&cap]; // $& stays\n',
    undone: [],
  });
  expect(applyLiteralEdits("a", [{ kind: "append", line: "b" }]).content).toBe("a\nb\n");
  expect(applyLiteralEdits(undefined, [{ kind: "append", line: "b" }]).content).toBe("b\n");
  expect(applyLiteralEdits("a", [{ kind: "replace", find: "z", put: "y" }])).toEqual({
    content: "a",
    undone: ['"z" does not stand in it'],
  });
  expect(applyLiteralEdits("kept", [{ kind: "create", text: "new" }])).toMatchObject({
    content: "kept",
    undone: [expect.stringContaining("exists already")],
  });
});

test("a reviewer sees an edit that was not made", () => {
  expect(editMissing("old and new", [{ kind: "replace", find: "old", put: "new" }])).toBe('it still holds "old"');
  expect(editMissing("older", [{ kind: "replace", find: "old", put: "older" }])).toBeUndefined();
  expect(editMissing("nothing", [{ kind: "append", line: "- d" }])).toBe('it does not hold the line "- d"');
  expect(editMissing("cap", [{ kind: "rename", find: "limit", put: "cap" }])).toBeUndefined();
});
