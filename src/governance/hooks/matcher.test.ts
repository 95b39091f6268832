import { expect, test } from "vitest";
import { compileMatcher } from "./matcher.ts";

const matches = (pattern: string | undefined, subject: string | undefined) => {
  const matcher = compileMatcher(pattern);
  if (!matcher.ok) throw new Error(matcher.error.message);
  return matcher.value(subject);
};

test.for([
  [undefined, "anything", true],
  ["", "anything", true],
  ["*", "anything", true],
  ["fs.*", "fs.read", true],
  ["fs.*", "http.get", false],
  ["fs.write", "fs.write", true],
  ["fs.write", "fs.write.all", false],
  ["*.write", "fs.write", true],
  ["Bash|Edit", "Edit", true],
  ["Bash | Edit", "Edit", true],
  ["Bash|Edit", "Editor", false],
  ["mcp__.*__write", "mcp__db__write", true],
  ["mcp__memory__.*", "mcp__memory__create", true],
  ["^Notebook.*$", "NotebookEdit", true],
  ["fs.(read|list)", "fs.list", true],
  ["fs.(read|list)", "fs.write", false],
  ["f?.read", "fs.read", true],
  ["bash", "Bash", false],
  // What hook files of Claude Code say of tools that Writ has under its own names.
  ["Write|Edit", "fs.write", true],
  ["Write|Edit", "fs.read", false],
  ["Bash", "exec", true],
  ["Notebook.*", "fs.write", true],
  ["mcp__memory__.*", "memory.read_graph", true],
  ["mcp__memory__.*", "files.read", false],
  ["Edit, MultiEdit", "fs.edit", true],
  ["^Notebook", "fs.edit", true],
  ["mcp__.*__write", "db.write_file", true],
  ["Task", "delegate", true],
  ["TodoWrite", "todo", true],
  ["LS", "fs.list", true],
] as const)("the matcher %j on %j says %j", ([pattern, subject, expected]) => {
  expect(matches(pattern, subject)).toBe(expected);
});

test("where there is no subject, the handler is asked", () => {
  expect(matches("startup", undefined)).toBe(true);
});

test("a pattern that would hang a backtracking engine is answered", () => {
  expect(matches("(a+)+b", "a".repeat(5000))).toBe(false);
});

test("a pattern that RE2 does not know is refused, never silently unmatched", () => {
  for (const pattern of ["(?=fs)fs.read", "a)|(b", "(unclosed", "[z-a]"])
    expect(compileMatcher(pattern)).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
});
