import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { type Clock, isSessionId, type Random, systemClock, systemRandom } from "#core/values";
import type { Event } from "#log";
import { openRuntime } from "#main";
import { initWorkspace } from "#operate";
import type { FlowOptions, FlowResult, StepStrategy } from "#work";
import type { Wiring } from "../../src/main/open-runtime.ts";
import { type Runtime } from "../../src/main/parts.ts";

export interface TestWorkspace extends AsyncDisposable {
  readonly root: string;
  readonly runtime: Runtime;
  /** What `writ run` does. */
  ask(
    prompt: string,
    options?: FlowOptions & { readonly skill?: string; readonly allow?: readonly string[]; readonly strategy?: string },
  ): Promise<FlowResult>;
  /** What `writ flow run` does with the shortest work order, changed as told. */
  order(changes?: object, options?: FlowOptions): Promise<FlowResult>;
  events(session_id: string | null | undefined): Promise<Event[]>;
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
  /** Closes the runtime and opens the workspace anew, as another process would. */
  reopen(): Promise<void>;
}

export interface WorkspaceOptions {
  /** Rules of the scripted model. */
  readonly rules?: readonly object[];
  /** Keys of writ.yaml. */
  readonly config?: object;
  readonly files?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Strategies of one's own, by type of order. */
  readonly strategies?: Readonly<Record<string, StepStrategy>>;
  /** Openers of places to use instead of the shipped ones. */
  readonly rewire?: (shipped: Wiring) => Partial<Wiring>;
}

let numbers = 0;

/** The shortest work order of the design, under a number of its own. */
export function workOrder(changes: object = {}): Record<string, unknown> {
  numbers += 1;
  const order = {
    work_order_id: `WO-20261115-${String(100_000 + numbers)}`,
    type: "answer",
    plane_id: "ho1",
    spec_id: "SPEC-ORCHESTRATION-001",
    framework_id: "FMWK-005",
    scope: { allowed_files: [] },
    acceptance: { tests: [], checks: [] },
    input: { prompt: "Say hello to Ada" },
    budget: { token_limit: 5000, turn_limit: 1, timeout_seconds: 60 },
    ...changes,
  };
  return Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined)); // as a file would have it
}

/** A real workspace in a temporary folder with its real runtime. `await using` removes it. */
export async function testWorkspace(options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const root = await mkdtemp(join(tmpdir(), "writ-test-"));
  const made = await initWorkspace(root);
  if (!made.ok) throw new Error(made.error.message);
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  if (options.rules) await write("script.yaml", stringify({ rules: options.rules }));
  await write(
    "writ.yaml",
    stringify({
      version: 1,
      max_concurrent_flows: 64,
      ...(options.rules ? { script: "script.yaml" } : {}),
      identity: { dev: { effects: ["turn"] } }, // as the template of `writ init` has it
      ...options.config,
    }),
  );
  for (const [path, text] of Object.entries(options.files ?? {})) await write(path, text);
  const open = async () => {
    const opened = await openRuntime(
      {
        root,
        clock: options.clock ?? systemClock,
        random: options.random ?? systemRandom,
        env: { WRIT_TRUST: "own", ...options.env },
        version: "test",
        ...(options.strategies ? { strategies: options.strategies } : {}),
      },
      options.rewire,
    );
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value;
  };
  let runtime = await open();
  return {
    root,
    get runtime() {
      return runtime;
    },
    async ask(prompt, { skill, allow, strategy, ...flow } = {}) {
      const order = await runtime.writeWorkOrder(prompt, {
        ...(skill === undefined ? {} : { skill }),
        ...(allow === undefined ? {} : { allow }),
        ...(strategy === undefined ? {} : { strategy }),
      });
      if (!order.ok) throw new Error(order.error.message);
      return runtime.runFlow({ work_order: { ...order.value }, caller_id: runtime.caller }, { fresh: true, ...flow });
    },
    order: (changes, flow) => runtime.runFlow({ work_order: workOrder(changes), caller_id: runtime.caller }, flow),
    async events(session_id) {
      if (session_id == null || !isSessionId(session_id)) throw new Error(`no session: ${session_id}`);
      const events: Event[] = [];
      for await (const event of runtime.log.read(session_id)) {
        if (!event.ok) throw new Error(event.error.message);
        events.push(event.value);
      }
      return events;
    },
    write,
    read: (path) => readFile(join(root, path), "utf8"),
    async reopen() {
      await runtime.close();
      runtime = await open();
    },
    async [Symbol.asyncDispose]() {
      await runtime.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
