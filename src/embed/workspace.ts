import type { TurnRequestV1, TurnResultV1 } from "#core/contracts";
import { type Clock, err, keyedSha256, type Random, type Result } from "#core/values";
import { type ProgramRuns, programRuns, type ThinkingApp } from "#runs";
import type { Capabilities } from "../effects/turns/capability/capabilities.ts";
import { functionTurn, type TurnFunction } from "../effects/turns/handlers/function-turn.ts";
import type { Workspace as Opened, Runtime } from "../main/parts.ts";
import type { OpenKernel } from "../runs/open-kernel.ts";
import type { DefinedWorker } from "./define-worker.ts";
import { type TurnRights, turnRights } from "./turn-rights.ts";

/** What a program gets of its workspace: orders, threads, sessions, decisions and runs. */
export interface Workspace extends Opened, Pick<Runtime, "explainTurn" | "keepAttachments"> {
  /** What `writ runs` does, with the program's own apps and workers beside those that ship. */
  readonly runs: ProgramRuns;
  /** A turn whose code is a function: what it writes is compared with what the turn declares, and lands whole or not at all. */
  executeTurn(
    request: TurnRequestV1,
    handler: TurnFunction,
    how?: { readonly dev?: boolean; readonly signal?: AbortSignal },
  ): Promise<TurnResultV1>;
  /** A hash that only this workspace can make, with its own key: of what a program hands out and wants to know again. */
  keyedHash(text: string): string;
  /** `check`, `enforce` and `isForbidden` of an installed package, or of capabilities as one would declare them. */
  turnRights(of: string | Capabilities, session_id?: string): Result<TurnRights>;
}

interface RunSources {
  readonly apps: readonly ThinkingApp[];
  readonly workers: readonly DefinedWorker[];
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onNotice?: ((line: string) => void) | undefined;
}

/** The kernel of runs is opened with the first use of `runs`, and closed with the workspace. */
export function withRuns(runtime: Runtime, { apps, workers, clock, random, env, onNotice }: RunSources): Workspace {
  let kernel: Promise<Result<OpenKernel>> | undefined;
  const openOnce = async (): Promise<Result<OpenKernel>> => {
    if (runtime.behind) return err(runtime.behind);
    const { openKernel, redactObjectives } = await import("../runs/open-kernel.ts");
    const stderr = { write: (text: string) => onNotice?.(text.trimEnd()) };
    const opened = await openKernel({ root: runtime.root, clock, random, env, stderr });
    if (!opened.ok) return opened;
    return { ok: true, value: { ...opened.value, kernel: redactObjectives(opened.value.kernel, runtime.redact) } };
  };
  const open = () => (kernel ??= openOnce());
  const handlers = Object.fromEntries(workers.map(({ capability, handler }) => [capability, handler]));
  return {
    ...runtime,
    executeTurn: (request, handler, how) => {
      const code = functionTurn(request.package_id, handler);
      return runtime.executeTurn(request, code, how);
    },
    keyedHash: (text) => keyedSha256(runtime.key, `program\n${text}`),
    turnRights: (of, session_id) => turnRights(runtime, of, session_id),
    runs: programRuns({ runtime, clock, open, apps, workers: handlers }),
    async close() {
      const opened = await kernel;
      const closed = opened?.ok ? await opened.value.close() : undefined;
      const done = await runtime.close();
      return closed && !closed.ok ? closed : done;
    },
  };
}
