import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mandateFor } from "../../../test/support/mandates.ts";
import { type TurnWorkspace, turnWorkspace } from "../../../test/support/turn-workspace.ts";
import { executeTurn } from "./execute-turn.ts";
import type { TurnCall } from "./turn.ts";

let workspace: TurnWorkspace;
beforeAll(() => {
  workspace = turnWorkspace();
  workspace.write("notes/old.md", "old\n");
});
afterAll(() => workspace.close());

const at = (path: string) => join(workspace.root, path);
const run = (sh: string, more: Partial<TurnCall>) =>
  executeTurn(workspace.deps, {
    recorder: workspace.recorder,
    capabilities: { read: ["**"], write: ["**"] },
    handler: { kind: "command", command: ["/bin/sh", "-c", sh] },
    request: { package_id: "PKG-TEST", turn_number: 1, query: {}, declared_inputs: [], declared_outputs: [] },
    ...more,
  });

const onlyNotes = mandateFor({ write: ["notes/**"] });

test("within its rights a turn keeps what it wrote without having named it", async () => {
  const result = await run("mkdir -p notes/deep; echo a >notes/deep/a.md", {
    writes: "within_rights",
    mandate: onlyNotes,
  });
  expect(result.error).toBeNull();
  expect(readFileSync(at("notes/deep/a.md"), "utf8")).toBe("a\n");
});

test("one write beyond them keeps all of it out", async () => {
  const result = await run("echo b >notes/b.md; echo c >c.md", { writes: "within_rights", mandate: onlyNotes });
  expect(result.error?.code).toBe("UNDECLARED_WRITE");
  expect([existsSync(at("notes/b.md")), existsSync(at("c.md"))]).toEqual([false, false]);
  const planted = await run("mkdir -p notes/.git; echo x >notes/.git/config", {
    writes: "within_rights",
    mandate: onlyNotes,
  });
  expect(planted.error?.code).toBe("UNDECLARED_WRITE");
});

test("what stood there before it began may be replaced", async () => {
  const result = await run("echo new >notes/old.md", { writes: "within_rights", mandate: onlyNotes });
  expect(result.error).toBeNull();
  expect(readFileSync(at("notes/old.md"), "utf8")).toBe("new\n");
});

test.each([
  ["a link", "ln -s /etc/passwd notes/link"],
  ["a pipe", "mkfifo notes/pipe"],
])("%s is never within the rights of a turn", async (_, sh) => {
  const result = await run(`mkdir -p notes; echo d >notes/d.md; ${sh}`, {
    writes: "within_rights",
    mandate: onlyNotes,
  });
  expect(result.error?.code).toBe("UNDECLARED_WRITE");
  expect(existsSync(at("notes/d.md"))).toBe(false);
});

test("a file that someone else changed meanwhile is a conflict here too", async () => {
  workspace.write("notes/shared.md", "before\n");
  const running = run("sleep 0.3; echo turn >notes/shared.md", { writes: "within_rights" });
  await new Promise((resolve) => workspace.deps.clock.after(150, () => resolve(undefined)));
  workspace.write("notes/shared.md", "a person\n");
  expect((await running).error?.code).toBe("WRITE_CONFLICT");
  expect(readFileSync(at("notes/shared.md"), "utf8")).toBe("a person\n");
});

test("a check may write what it likes, and none of it is kept", async () => {
  const result = await run("echo x >report.xml; rm -rf notes; mkdir hooks; echo x >hooks/x", { writes: "dropped" });
  expect(result.error).toBeNull();
  expect([existsSync(at("report.xml")), existsSync(at("notes/shared.md")), existsSync(at("hooks"))]).toEqual([
    false,
    true,
    false,
  ]);
  expect(workspace.recorder.of("turn.committed").at(-1)).toMatchObject({ outputs: [] });
  expect(workspace.recorder.of("turn.committed").at(-1)?.dropped).toBeGreaterThan(0);
  expect((await run("exit 4", { writes: "dropped" })).error?.code).toBe("TURN_FAILED");
});

test("standard input is the handler's where it has one", async () => {
  const result = await run("", { handler: { kind: "command", command: ["cat"], stdin: "given" } });
  expect((result.result as { stdout: string }).stdout).toBe("given");
});
