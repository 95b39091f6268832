import { expect, test } from "vitest";
import { sha256 } from "#base";
import { memoryFiles } from "../../test/support/memory-files.ts";
import { readProjectContext } from "./project-context.ts";

test("AGENTS.md is context with its hash; absent is absent; a link or a giant is refused with a reason", async () => {
  const files = memoryFiles({ "/w/AGENTS.md": "Use tabs.\n", "/big/AGENTS.md": "x".repeat(300 * 1024) });
  files.link("/l/AGENTS.md");
  expect(await readProjectContext(files, "/w")).toEqual({
    ok: true,
    value: { state: "present", path: "AGENTS.md", text: "Use tabs.\n", hash: sha256("Use tabs.\n") },
  });
  expect(await readProjectContext(files, "/none")).toEqual({ ok: true, value: { state: "absent" } });
  expect(await readProjectContext(files, "/l")).toMatchObject({
    value: { state: "refused", reason: expect.stringContaining("links are not followed") },
  });
  expect(await readProjectContext(files, "/big")).toMatchObject({ value: { state: "refused" } });
});
