import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TurnWorkspace, turnWorkspace } from "../../test/support/turn-workspace.ts";

let workspace: TurnWorkspace;
beforeAll(() => {
  workspace = turnWorkspace();
});
afterAll(() => workspace.close());

const read = (path: string) => readFileSync(join(workspace.root, path), "utf8");

test("what a turn declared and wrote is in the workspace, and the evidence has its hash", async () => {
  workspace.write("notes.md", "before\n");
  const result = await workspace.run({
    sh: "cat notes.md >$WRIT_OUTPUT_DIR/copy.md; echo more >>notes.md",
    inputs: ["notes.md"],
    outputs: ["output/<session_id>/copy.md", "notes.md"],
  });
  expect(result.error).toBeNull();
  expect(result.status).toBe("ok");
  expect(read("notes.md")).toBe("before\nmore\n");
  expect(read(`output/${workspace.recorder.session_id}/copy.md`)).toBe("before\n");
});

test("a turn that writes more than it declared leaves nothing at all", async () => {
  const result = await workspace.run({ sh: "echo a >a.txt; echo b >stray.txt", outputs: ["a.txt"] });
  expect(result.error?.code).toBe("UNDECLARED_WRITE");
  expect(existsSync(join(workspace.root, "a.txt"))).toBe(false);
  expect(existsSync(join(workspace.root, "stray.txt"))).toBe(false);
});
