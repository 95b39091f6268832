import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { DisposalStack, systemClock, systemRandom } from "#core/values";
import { configDefaults } from "../../workspace/config/defaults.ts";
import { openModules } from "./workspace-modules.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "writ-module-")));
const stack = new DisposalStack();
afterAll(async () => {
  await stack.disposeAsync();
  rmSync(place, { recursive: true, force: true });
});
const { PATH = "" } = process.env;
const surroundings = { clock: systemClock, random: systemRandom, env: { PATH, WRIT_TRUST: place } };
const modules = openModules({ root: place, cwd: place, config: configDefaults, ...surroundings }, stack);
const write = (name: string, text: string) => writeFileSync(join(place, name), text);

test("an app and a worker may be written in TypeScript, with files beside them", async () => {
  write("words.ts", "export enum Word { Shout = 'shout' }\n");
  write(
    "worker.ts",
    `import { Word } from "./words.ts";
     interface Lease { readonly objective: string }
     export const handlers = { async [Word.Shout](lease: Lease) { return { status: "completed", result: { text: lease.objective } }; } };\n`,
  );
  write("app.ts", `export const app = { app_id: "typed" as const, async turn() { return { actions: [] }; } };\n`);
  const worker = await modules.loadHandlers("worker.ts");
  expect(worker.ok ? Object.keys(worker.value.handlers) : worker.error).toEqual(["shout"]);
  const app = await modules.loadApp("./app.ts");
  expect(app.ok ? app.value.app_id : app.error).toBe("typed");
});

test.each([
  ["nowhere.mjs", undefined, "NOT_FOUND", { message: /there is no file .*nowhere\.mjs$/, hint: /with its ending/ }],
  [
    "thrown.mjs",
    `throw new Error("no token")`,
    "CONFIG_INVALID",
    { message: /cannot load .*: no token$/, hint: /load by itself/ },
  ],
  [
    "other.mjs",
    "export const app = 1",
    "CONFIG_INVALID",
    { message: /no export `handlers`: it exports app$/, hint: /export const handlers =/ },
  ],
  ["none.mjs", "export {}", "CONFIG_INVALID", { message: /it exports nothing$/, hint: /export const handlers =/ }],
  [
    "empty.mjs",
    "export const handlers = {}",
    "CONFIG_INVALID",
    { message: /`handlers` of another shape/, hint: /one function or more/ },
  ],
  [
    "value.mjs",
    "export const handlers = { a: 1 }",
    "CONFIG_INVALID",
    { message: /`handlers` of another shape/, hint: /CAPABILITY/ },
  ],
])("%s is refused with what is wrong and how it would be right", async (name, text, code, { message, hint }) => {
  if (text !== undefined) write(name, text);
  const loaded = await modules.loadHandlers(name);
  expect(loaded.ok ? loaded.value : loaded.error).toMatchObject({
    code,
    message: expect.stringMatching(message),
    details: { where: join(place, name), hint: expect.stringMatching(hint) },
  });
});

test("a folder is no module", async () => {
  const loaded = await modules.loadApp(place);
  expect(loaded.ok ? loaded.value : loaded.error).toMatchObject({
    code: "MALFORMED_INPUT",
    message: `${place} is no file`,
  });
});
