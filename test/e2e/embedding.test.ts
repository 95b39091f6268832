// The package as a program sees it that imports it: its types, strict, by both ways in which packages are found.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import { type HookModule } from "#governance";
import { openWorkspace } from "../../src/embed/open-workspace.ts";
import { built } from "../support/built.ts";
import { blocksOf } from "../support/guide/blocks.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";
import { repository } from "../support/writ.ts";

built();

const program = `
import { type App, type AppTurnActionsV1, initWorkspace, isSessionId, openWorkspace, type Result, type Wiring, type Workspace } from "writ";

const take = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
};
take(await initWorkspace("demo"));
const rewire = ({ workspace }: Wiring): Partial<Wiring> => ({
  workspace: async (options, stack) => {
    const folder = await workspace(options, stack);
    return folder.ok ? { ok: true, value: { ...folder.value, caller: "portal@corp" } } : folder;
  },
});
const runtime: Workspace = take(await openWorkspace("demo", { onNotice: (line) => console.error(line), rewire }));
const order = take(await runtime.writeWorkOrder("greet Ada", { skill: "greet" }));
const result = await runtime.runFlow({ work_order: { ...order }, caller_id: runtime.caller }, { onEvent: ({ seq }) => seq + 1 });
const session_id = result.session_id ?? "";
if (isSessionId(session_id)) (await runtime.verifySession(session_id)).violations.length;

export const app: App = {
  app_id: "shouter",
  async turn(input, { documents, read, run_id, think }) {
    const actions: AppTurnActionsV1["actions"] = [];
    for (const id of input.unapplied_patch_ids) take(await read.patch(run_id, id)).ops.length;
    take(await think({ key: "k", contract: "PRC-1", input: {}, output_schema: "editorial_v1" }));
    const document_ref = take(await documents.put("text"));
    actions.push({ type: "create_revision", parent_revision_id: null, applied_patch_ids: [], rejected_patch_ids: [], document_ref });
    // @ts-expect-error: there is no such action
    actions.push({ type: "delete_run" });
    return { actions };
  },
};
`;

test("a strict program that embeds Writ compiles", async () => {
  const folder = mkdtempSync(join(tmpdir(), "writ-embed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(repository, join(folder, "node_modules", "writ"));
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
  const files = ["program.ts"];
  writeFileSync(join(folder, "program.ts"), program);
  for (const { attributes, text } of blocksOf(readFileSync(`${repository}docs/guides/embed-writ.md`, "utf8"))) {
    const name = attributes["file"]?.replace("/", "-") ?? "";
    if (!name.endsWith(".ts")) continue;
    writeFileSync(join(folder, name), text);
    files.push(name);
  }
  expect(files).toHaveLength(3);
  for (const [module, moduleResolution] of [
    ["node16", "node16"],
    ["esnext", "bundler"],
  ] as const) {
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      module,
      moduleResolution,
      target: "es2023",
      noEmit: true,
      types: ["node"],
      typeRoots: [`${repository}node_modules/@types`],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const compiled = promisify(execFile)(`${repository}node_modules/.bin/tsc`, ["-p", folder]);
    expect(await compiled.catch((failed: { stdout: string }) => failed), moduleResolution).toMatchObject({
      stdout: "",
    });
  }
});

// What `skipLibCheck: false` would tell an embedder; to check all declarations of all packages takes eight seconds of a processor.
test("whatever the declarations import comes with the package, and has types", () => {
  const read = (path: string) => JSON.parse(readFileSync(join(repository, path), "utf8")) as Record<string, object>;
  const own = read("package.json")["dependencies"] as Readonly<Record<string, string>>;
  const imported = new Set<string>();
  for (const entry of readdirSync(`${repository}dist`, { recursive: true, encoding: "utf8" })) {
    if (!entry.endsWith(".d.ts")) continue;
    const text = readFileSync(join(repository, "dist", entry), "utf8");
    for (const [, name = ""] of text.matchAll(/(?:from |import\()"((?!node:)[a-z@][^"\s]*)"/g))
      imported.add(name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
  }
  expect([...imported].sort()).toEqual(expect.arrayContaining(["better-sqlite3", "pg"]));
  const untyped = [...imported].filter((name) => {
    const manifest = read(`node_modules/${name}/package.json`);
    const typed = "types" in manifest || JSON.stringify(manifest["exports"] ?? "").includes('"types"');
    return own[name] === undefined || !(typed || own[`@types/${name}`]);
  });
  expect(untyped).toEqual([]);
  expect(own).toHaveProperty("@types/json-schema"); // the declarations of @ai-sdk/provider need it and do not bring it
});

test("a hook's type takes a clear answer and nothing else", () => {
  expectTypeOf<(input: { tool: string }) => { decision: "allow" }>().toExtend<HookModule<{ tool: string }>>();
  expectTypeOf<() => Promise<{ decision: "deny"; reason: string }>>().toExtend<HookModule>();
  expectTypeOf<() => { decision: "deny" }>().not.toExtend<HookModule>();
  expectTypeOf<() => undefined>().not.toExtend<HookModule>();
});

test("a program replaces the opener of one place, and the rest is opened over it", async () => {
  await using workspace = await testWorkspace();
  const opened = await openWorkspace(workspace.root, {
    env: {},
    rewire: (standard) => ({
      workspace: async (options, stack) => {
        const folder = await standard.workspace(options, stack);
        return folder.ok ? { ok: true, value: { ...folder.value, caller: "portal@corp" } } : folder;
      },
    }),
  });
  if (!opened.ok) throw new Error(opened.error.message);
  expect(opened.value.caller).toBe("portal@corp");
  expect(await opened.value.close()).toMatchObject({ ok: true });
});

test("a folder that is no workspace is a value that says so", async () => {
  const folder = mkdtempSync(join(tmpdir(), "writ-embed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const opened = await openWorkspace(folder);
  expect(opened.ok ? opened.value : opened.error).toMatchObject({
    code: "WORKSPACE_NOT_FOUND",
    message: expect.stringContaining(folder),
  });
});
