import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { shippedRegistry, type TurnRequestV1, type TurnResultV1 } from "#core/contracts";
import { createIds, type Failpoint, systemClock, systemRandom } from "#core/values";
import { type Capabilities, createTurnSandbox, executeTurn } from "#effects";
import { type TurnLimits } from "../../src/effects/sandbox/limits.ts";
import { type TurnSandboxOptions } from "../../src/effects/sandbox/turn-sandbox.ts";
import { type TurnDeps, type TurnHandler } from "../../src/effects/turns/turn.ts";
import { openTurnStore } from "../../src/effects/turns/turn-store.ts";
import { type MemoryRecorder, memoryRecorder } from "./memory-recorder.ts";

export interface TurnWorkspace {
  readonly root: string;
  /** A folder beside the workspace, which no turn may touch. */
  readonly outside: string;
  readonly deps: TurnDeps;
  readonly recorder: MemoryRecorder;
  write(path: string, text: string): void;
  run(turn: TurnSpec): Promise<TurnResultV1>;
  close(): Promise<void>;
}

export interface TurnSpec {
  readonly command?: readonly string[];
  /** A script for /bin/sh. */
  readonly sh?: string;
  readonly handler?: TurnHandler;
  readonly inputs?: readonly string[];
  readonly outputs?: readonly (string | { path: string; action: "write" | "delete" })[];
  readonly capabilities?: Capabilities;
  readonly query?: unknown;
  readonly limits?: Partial<TurnLimits>;
  readonly signal?: AbortSignal;
  readonly recorder?: MemoryRecorder;
  readonly request?: Partial<TurnRequestV1>;
}

/** A workspace in a folder of its own, with everything a turn needs. */
export function turnWorkspace(
  options: { failpoint?: Failpoint; sandbox?: Partial<TurnSandboxOptions>; place?: string } = {},
): TurnWorkspace {
  const folder = mkdtempSync(join(options.place ?? "/var/tmp", "writ-turn-"));
  chmodSync(folder, 0o755);
  const root = join(folder, "workspace");
  const outside = join(folder, "outside");
  for (const each of [root, outside]) mkdirSync(each);
  const ids = createIds(systemClock, systemRandom);
  const sandbox = createTurnSandbox({ root, clock: systemClock, random: systemRandom, ...options.sandbox });
  const store = openTurnStore({ root, clock: systemClock, ids });
  const deps: TurnDeps = {
    root,
    clock: systemClock,
    ids,
    schemas: shippedRegistry(),
    sandbox,
    store,
    ...(options.failpoint ? { failpoint: options.failpoint } : {}),
  };
  const recorder = memoryRecorder({ clock: systemClock, seed: Math.floor(systemClock.now()) });
  return {
    root,
    outside,
    deps,
    recorder,
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    run: (turn) =>
      executeTurn(deps, {
        recorder: turn.recorder ?? recorder,
        capabilities: turn.capabilities ?? { read: ["**"], write: ["**"] },
        handler: turn.handler ?? { kind: "command", command: turn.command ?? ["/bin/sh", "-c", turn.sh ?? "true"] },
        request: {
          package_id: "PKG-TEST",
          turn_number: 1,
          query: (turn.query ?? { ask: "test" }) as never,
          declared_inputs: (turn.inputs ?? []).map((path) => ({ path })),
          declared_outputs: (turn.outputs ?? []).map((each) => (typeof each === "string" ? { path: each } : each)),
          ...turn.request,
        },
        ...(turn.limits ? { limits: turn.limits } : {}),
        ...(turn.signal ? { signal: turn.signal } : {}),
      }),
    async close() {
      await sandbox.close();
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
