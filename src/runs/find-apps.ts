import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { WritConfig } from "#workspace";
import { builtInApps } from "./apps/built-in-apps.ts";
import type { LoadedApp } from "./apps/thinking-app.ts";
import type { WorkspaceModules } from "./apps/workspace-modules.ts";
import type { App } from "./kernel/app.ts";
import { type ThinkingParts, thinkFor } from "./think.ts";

/** An app by its built-in name, or by the path of its module. */
export async function findApp(named: string, modules: () => Promise<WorkspaceModules>): Promise<Result<LoadedApp>> {
  const shipped = Object.hasOwn(builtInApps, named) ? builtInApps[named] : undefined;
  if (shipped) return ok(shipped);
  if (/[./\\]/.test(named)) return (await modules()).loadApp(named);
  return err(
    domainError("NOT_FOUND", `there is no app ${JSON.stringify(named)}`, {
      details: {
        hint: `${Object.keys(builtInApps).sort().join(", ")} come with Writ; an app of your own is named by its path, ./my-app.js`,
      },
    }),
  );
}

/** The named apps; all built-in apps when none is named, for which no module is opened. */
export async function findApps(
  named: readonly string[] | undefined,
  modules: () => Promise<WorkspaceModules>,
): Promise<Result<readonly LoadedApp[]>> {
  if (named === undefined) return ok(Object.values(builtInApps));
  const apps: LoadedApp[] = [];
  for (const name of named) {
    const app = await findApp(name, modules);
    if (!app.ok) return app;
    apps.push(app.value);
  }
  return ok(apps);
}

/**
 * Whether a caller may start a run of this app by its name. No store lists the conductors of all machines: if the configuration
 * names the apps, any other name is a mistake; if it does not, the run waits for a conductor of its app.
 */
export function requireApp(app_id: string, { server }: WritConfig): Result<void> {
  const known = [...Object.keys(builtInApps), ...server.apps].sort();
  if (server.apps.length === 0 || known.includes(app_id)) return ok(undefined);
  return err(
    domainError("NOT_FOUND", `there is no app ${JSON.stringify(app_id)} here, and its run would wait for ever`, {
      details: {
        app_id,
        apps: known,
        hint: `the apps are ${known.join(", ")}; server.apps of writ.yaml names those of your own`,
      },
    }),
  );
}

/** Adapts a thinking app to the kernel: adds the function that calls a model. */
export function equipApp(app: LoadedApp, runtime: ThinkingParts): App {
  return {
    app_id: app.app_id,
    ...(app.tier === undefined ? {} : { tier: app.tier }),
    turn: (input, context) =>
      app.turn(input, { ...context, think: thinkFor(runtime, context.run_id, context.failures, context.signal) }),
  };
}
