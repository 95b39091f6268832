import { expect, test } from "vitest";
import { judgingFiles } from "./judging-files.ts";

const judges = (command: string | readonly string[], ...allowed_files: readonly string[]) =>
  judgingFiles({
    acceptance: { tests: [typeof command === "string" ? command : { command: [...command] }] },
    scope: { allowed_files: [...allowed_files] },
  });

test.each<[string | readonly string[], readonly string[]]>([
  ["sh tests/accept.sh src/main.ts", ["tests/accept.sh"]],
  ["./check.sh", ["check.sh"]],
  ["node --test test/a.test.mjs", ["test/a.test.mjs"]],
  ["python3 -u tools/judge.py --strict", ["tools/judge.py"]],
  [
    ["sh", "-c", "cd x && sh tests/accept.sh; grep -q a out.txt | node tools/x.mjs"],
    ["tests/accept.sh", "tools/x.mjs"],
  ],
  ["env A=1 bash check.sh", ["check.sh"]],
  ["grep -q Ada output/answer.txt", []],
  ["make -s check", []],
  ["/usr/bin/test -f notes/done.md", []],
  ["true", []],
])("what %j is started from judges the order", (command, expected) => {
  expect(judges(command, "**", "*.sh", "**/*.sh")).toEqual(expected);
});

test("a pattern that names the file or spells its folder says that it may be written", () => {
  expect(judges("sh tests/accept.sh", "tests/**")).toEqual([]);
  expect(judges("sh tests/accept.sh", "tests/accept.sh")).toEqual([]);
  expect(judges("node a.js", "a.js")).toEqual([]);
  expect(judges("sh tests/accept.sh", "src/**")).toEqual(["tests/accept.sh"]);
});
