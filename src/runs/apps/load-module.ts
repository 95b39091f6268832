import { domainError } from "#core/errors";
import { hintOfModule, type ModuleAnswer, type ProgramTier } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import type { WorkHandler } from "../kernel/run-worker.ts";
import { askApp, askHandler } from "./call-module.ts";
import type { StartedModule } from "./started-module.ts";
import type { LoadedApp } from "./thinking-app.ts";

/** What a worker's module offers, and the isolation that it runs in. */
export interface ModuleHandlers {
  readonly tier: ProgramTier;
  readonly handlers: Readonly<Record<string, WorkHandler>>;
}

/** What the module says of itself when it is loaded. */
interface Description {
  readonly exports: readonly string[];
  readonly app: { readonly app_id: string | null; readonly turn: boolean } | null;
  readonly handlers: readonly (readonly [name: string, isFunction: boolean])[] | null;
}

export async function loadApp(started: StartedModule): Promise<Result<LoadedApp>> {
  const described = await describe(started);
  if (!described.ok) return described;
  const { tier, says } = described.value;
  if (says.app?.app_id && says.app.turn)
    return ok({ app_id: says.app.app_id, tier, turn: (input, context) => askApp(started, input, context) });
  return err(
    wrongShape(started, says, {
      name: "app",
      expected: '`export const app = { app_id: "NAME", async turn(input, context) { … } }`',
    }),
  );
}

export async function loadHandlers(started: StartedModule): Promise<Result<ModuleHandlers>> {
  const described = await describe(started);
  if (!described.ok) return described;
  const { tier, says } = described.value;
  const named = says.handlers ?? [];
  if (named.length > 0 && named.every(([, isFunction]) => isFunction)) {
    const handlers = named.map(([name]): [string, WorkHandler] => [
      name,
      (lease, context) => askHandler(started, lease, context),
    ]);
    return ok({ tier, handlers: Object.fromEntries(handlers) });
  }
  return err(
    wrongShape(started, says, {
      name: "handlers",
      expected: "`export const handlers = { async CAPABILITY(lease, { signal }) { … } }`, with one function or more",
    }),
  );
}

/** A module that stops while it is loaded is given up: it has the time of a start. */
const longestLoadMs = 60_000;

async function describe(
  started: StartedModule,
): Promise<Result<{ readonly tier: ProgramTier; readonly says: Description }>> {
  const loading = new AbortController();
  const stopTimer = started.clock.after(longestLoadMs, () => loading.abort());
  const answer = await started.process.call({ shape: "describe", args: [], signal: loading.signal });
  stopTimer();
  if (answer.fault) return err(whyNotLoaded(started, answer.fault));
  return ok({ tier: answer.tier, says: JSON.parse(answer.text ?? "null") as Description });
}

function whyNotLoaded({ module }: StartedModule, fault: NonNullable<ModuleAnswer["fault"]>) {
  if (fault.kind === "not_started") return fault.error;
  const { path } = module;
  const isSyntax = fault.kind === "unread" && fault.isSyntax && !/\.[cm]?ts$/.test(path);
  const hint =
    hintOfModule(fault.what, module, fault.tier) ??
    (isSyntax
      ? `\`node --check ${path}\` shows the line`
      : "it has to load by itself: mend what the message names; --debug shows where it was thrown");
  return domainError("CONFIG_INVALID", `cannot load ${path}: ${fault.what}`, { details: { where: path, hint } });
}

function wrongShape(
  { module: { path } }: StartedModule,
  says: Description,
  { name, expected }: { readonly name: "app" | "handlers"; readonly expected: string },
) {
  const others = says.exports.join(", ");
  const found = says.exports.includes(name)
    ? `exports a \`${name}\` of another shape`
    : `has no export \`${name}\`: it exports ${others || "nothing"}`;
  return domainError("CONFIG_INVALID", `${path} ${found}`, {
    details: { where: path, hint: `it has to have ${expected}` },
  });
}
