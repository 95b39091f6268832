import { shippedRegistry } from "#core/contracts";
import { type Clock, createIds, type JsonObject, ok, seededRandom, systemClock } from "#core/values";
import { CallCharges, dispatch, type ToolRegistry } from "#effects";
import { type DispatchDeps } from "../../src/effects/tools/dispatch-deps.ts";
import { createToolRegistry } from "../../src/effects/tools/registry.ts";
import { type ToolCall, type ToolScope, type ToolSpec } from "../../src/effects/tools/tool.ts";
import { mandateFor, type TestRights } from "./mandates.ts";
import { type MemoryRecorder, memoryRecorder } from "./memory-recorder.ts";

type Gate = DispatchDeps["hooks"];
type Decision = Extract<Awaited<ReturnType<Gate["fire"]>>, { ok: true }>["value"];

/** Hooks that answer as told, for tests that ask about dispatch and not about hooks. */
export function gate(answers: {
  PreToolUse?: (payload: JsonObject) => Partial<Decision>;
  PostToolUse?: (payload: JsonObject) => Partial<Decision>;
}): Gate & { readonly asked: { point: string; payload: JsonObject }[] } {
  const asked: { point: string; payload: JsonObject }[] = [];
  return {
    asked,
    fire: (point, input) => {
      asked.push({ point, payload: input.payload });
      return Promise.resolve(
        ok({
          decision: "allow",
          reason: "",
          decidedBy: "test",
          ...(point === "PreToolUse" || point === "PostToolUse" ? answers[point]?.(input.payload) : {}),
        }),
      );
    },
  };
}

export function scopeOf(
  tools: readonly string[],
  { rights, ...more }: Partial<ToolScope> & { readonly rights?: TestRights } = {},
): ToolScope {
  return {
    mandate: mandateFor({ tools, ...rights }),
    charges: new CallCharges(),
    role: "worker",
    skill: "greet",
    work_order_id: "WO-20261115-001",
    ...more,
  };
}

const anyObject = { type: "object" };

/** A tool that takes and gives any object, and whatever the test changes about it. */
export function toolSpec(more: Partial<ToolSpec> & Pick<ToolSpec, "name" | "invoke">): ToolSpec {
  return {
    description: "a tool of a test",
    schema_in: anyObject,
    schema_out: anyObject,
    annotations: {},
    origin: "test",
    ...more,
  };
}

export interface ToolBench {
  readonly registry: ToolRegistry;
  readonly recorder: MemoryRecorder;
  readonly deps: DispatchDeps;
  readonly types: () => string[];
  call(name: string, args?: unknown, more?: { scope?: ToolScope; id?: string }): ReturnType<typeof dispatch>;
}

export function toolBench(
  options: { tools?: readonly ToolSpec[]; clock?: Clock; deps?: Partial<DispatchDeps> } = {},
): ToolBench {
  const schemas = shippedRegistry();
  const registry = createToolRegistry(schemas);
  for (const spec of options.tools ?? []) {
    const registered = registry.register(spec);
    if (!registered.ok) throw new Error(registered.error.message);
  }
  const clock = options.clock ?? systemClock;
  const recorder = memoryRecorder({ clock });
  const deps: DispatchDeps = {
    registry,
    hooks: gate({}),
    recorder,
    clock,
    ids: createIds(clock, seededRandom(7)),
    root: "/nowhere",
    ...options.deps,
  };
  let calls = 0;
  return {
    registry,
    recorder,
    deps,
    types: () => recorder.events.map((event) => event.type),
    call: (name, args = {}, more = {}) => {
      const call: ToolCall = { id: more.id ?? `call-${++calls}`, name, args };
      return dispatch(call, more.scope ?? scopeOf(["*"]), deps);
    },
  };
}

export function valueOf<T>(
  result: { ok: true; value: T } | { ok: false; error: { code: string; message: string } },
): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

export function codeOf(result: Awaited<ReturnType<typeof dispatch>>): string {
  return result.ok ? (result.value.error?.code ?? "ok") : result.error.code;
}

export const textIn = {
  type: "object",
  required: ["text"],
  additionalProperties: false,
  properties: { text: { type: "string", minLength: 1 } },
};
export const textOut = {
  type: "object",
  required: ["text"],
  additionalProperties: false,
  properties: { text: { type: "string" } },
};

/** A tool that says what it is told, and remembers what that was. */
export function recordingTool(seen: unknown[] = []) {
  return toolSpec({
    name: "say",
    schema_in: textIn,
    schema_out: textOut,
    invoke: (args) => {
      seen.push(args);
      return Promise.resolve(ok({ text: args["text"] as string }));
    },
  });
}
