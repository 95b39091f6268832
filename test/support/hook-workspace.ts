import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { nodeFiles } from "#core/machine";
import { DisposalStack, type JsonObject, type Result, systemClock, systemRandom } from "#core/values";
import { openPrograms } from "#effects";
import { createHooks, type HookHandler, type HookOutcome, type HookPoint, type Hooks } from "#governance";
import { backgroundPrograms } from "../../src/governance/hooks/background.ts";
import { hookModules } from "../../src/governance/hooks/hook-modules.ts";
import { loadHooks } from "../../src/governance/hooks/load-hooks.ts";
import { configDefaults } from "../../src/workspace/config/defaults.ts";
import { type MemoryRecorder, memoryRecorder } from "./memory-recorder.ts";

export interface HookWorkspace {
  readonly root: string;
  readonly recorder: MemoryRecorder;
  write(path: string, text: string): Promise<void>;
  load(config: unknown, timeoutSeconds?: number): Promise<Result<readonly HookHandler[]>>;
  hooks(config: unknown): Promise<Hooks>;
  /** One command at one point, asked once. */
  ask(
    entry: JsonObject,
    point?: HookPoint,
    payload?: JsonObject,
    options?: { canAsk?: boolean; signal?: AbortSignal },
  ): Promise<HookOutcome>;
  close(): Promise<void>;
}

export const toolCall: JsonObject = {
  tool: "fs.write",
  args: { path: "notes.md", text: "hello" },
  call_id: "c1",
  role: "worker",
};

/** A workspace on disk with real programs and modules, and a log in memory. */
export async function hookWorkspace(): Promise<HookWorkspace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "writ-hooks-")));
  const recorder = memoryRecorder();
  const modules = hookModules(systemClock);
  const schemas = shippedRegistry();
  const stack = new DisposalStack();
  const surroundings = { clock: systemClock, random: systemRandom, env: process.env };
  const { programs } = openPrograms({ root, config: configDefaults, ...surroundings }, stack);
  const load = (config: unknown, timeoutSeconds?: number) =>
    loadHooks({
      config,
      timeoutSeconds,
      root,
      files: nodeFiles,
      programs,
      modules,
      background: backgroundPrograms(),
      schemas,
    });
  const hooks = async (config: unknown) => {
    const handlers = await load(config);
    if (!handlers.ok) throw new Error(handlers.error.message);
    return createHooks({ handlers: handlers.value, schemas, clock: systemClock, key: "test" });
  };
  return {
    root,
    recorder,
    load,
    hooks,
    async write(path, text) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
      await chmod(join(root, path), 0o755);
    },
    async ask(entry, point = "PreToolUse", payload = toolCall, options = {}) {
      const asked = await hooks({ [point]: [{ hooks: [entry] }] });
      const tool = payload["tool"];
      const fired = await asked.fire(
        point,
        { ...(typeof tool === "string" ? { subject: tool } : {}), payload },
        { recorder, ...options },
      );
      if (!fired.ok) throw new Error(fired.error.message);
      return fired.value;
    },
    async close() {
      await modules.close();
      await stack.disposeAsync();
      await rm(root, { recursive: true, force: true });
    },
  };
}
