import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { domainError } from "#core/errors";
import { type Clock, err, ok, type Result } from "#core/values";
import type { HookModules } from "../module-hook.ts";
import { type Unread, whyUnread } from "./why-unread.ts";
import { workerSource } from "./worker-source.ts";

/** How long a worker may stay silent after a call was aborted before it counts as hung and is terminated. */
const hungAfterMs = 250;

type Answer =
  | { readonly id: number; readonly pong: true }
  | { readonly id: number; readonly text?: string }
  | { readonly id: number; readonly error: string }
  | ({ readonly id: number } & Unread);

interface Host {
  call(input: unknown, about: unknown, signal: AbortSignal): Promise<Result<string | undefined>>;
  close(): Promise<void>;
}

/**
 * Modules run on threads of their own, one per module: an endless loop is stopped, `process.exit` ends the thread and not the
 * runtime, memory is bounded, printed text is discarded, and the module reaches none of the runtime's objects. This contains
 * mistakes. It is no sandbox against a malicious author: a module can open files as the runtime does.
 */
export function workerModules(clock: Clock): HookModules {
  const hosts = new Map<string, Host>();
  return {
    async run(path, input, about, signal) {
      let host = hosts.get(path);
      if (!host) {
        const started = startHost(path, clock, () => hosts.get(path) === started && hosts.delete(path));
        host = started;
        hosts.set(path, host);
      }
      return host.call(input, about, signal);
    },
    async close() {
      await Promise.all([...hosts.values()].map((host) => host.close()));
    },
  };
}

function startHost(path: string, clock: Clock, ended: () => void): Host {
  const worker = new Worker(workerSource, {
    eval: true,
    workerData: { url: pathToFileURL(path).href, typescript: typescriptLoader(path) },
    env: {},
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 },
  });
  worker.unref(); // a waiting clock keeps the process alive while a call is open; an idle worker does not
  worker.stdout.resume();
  worker.stderr.resume();

  const open = new Map<number, (result: Result<string | undefined>) => void>();
  let next = 1;
  let messages = 0;
  let retired = false;
  const finish = (id: number, result: Result<string | undefined>) => {
    open.get(id)?.(result);
    open.delete(id);
    if (retired && open.size === 0) void worker.terminate();
  };
  const end = (why: string) => {
    ended();
    for (const id of open.keys()) finish(id, failed(why));
  };
  worker.on("message", (answer: Answer) => {
    messages += 1;
    if ("unread" in answer)
      void whyUnread(path, answer).then((why) => finish(answer.id, failed(`could not be loaded: ${why}`)));
    else if ("error" in answer) finish(answer.id, failed(answer.error));
    else if (!("pong" in answer)) finish(answer.id, ok(answer.text));
  });
  worker.on("error", (thrown) => end(`broke down: ${thrown instanceof Error ? thrown.message : String(thrown)}`));
  worker.on("exit", (code) => end(`ended itself (status ${code}) before it answered`));

  return {
    call: (input, about, signal) =>
      new Promise((resolve) => {
        const id = next++;
        const giveUp = () => {
          ended(); // the next call gets a fresh thread; the calls still open here may finish
          retired = true;
          finish(id, failed("was given up"));
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
          worker.postMessage({ id, abort: true });
          const before = messages;
          clock.after(hungAfterMs, () => {
            if (messages === before) void worker.terminate();
          });
        };
        open.set(id, (result) => {
          signal.removeEventListener("abort", giveUp);
          resolve(result);
        });
        if (signal.aborted) return giveUp();
        signal.addEventListener("abort", giveUp, { once: true });
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage({ id, input, about });
      }),
    close: async () => {
      await worker.terminate();
    },
  };
}

function failed(what: string): Result<never> {
  return err(domainError("GATE_DENIED", what));
}

/** Node reads TypeScript itself from 22.18 on; before that, tsx does. */
function typescriptLoader(path: string): string | null {
  if (!/\.[cm]?ts$/.test(path) || Reflect.get(process.features, "typescript")) return null;
  try {
    // Its ES entry by hand: `require.resolve` gives the CommonJS one, and `import.meta.resolve` is not everywhere (vitest).
    const require = createRequire(import.meta.url);
    const { exports } = require("tsx/package.json") as { exports: { "./esm/api": { import: { default: string } } } };
    return new URL(exports["./esm/api"].import.default, pathToFileURL(require.resolve("tsx/package.json"))).href;
  } catch {
    return null; // importing the module then fails with Node's own message, and the hook denies
  }
}
