import { domainError, messageOf } from "#core/errors";
import { err, type Files, isJsonObject, type JsonObject, ok, type Result, sha256 } from "#core/values";
import type { HookAbout, HookHandler } from "./hook-handler.ts";
import type { HookPoint } from "./hook-point.ts";
import { hookPoints } from "./hook-points.ts";

/** What the policies that Writ ships are given beside their input. */
export interface ShippedAbout extends HookAbout {
  readonly signal: AbortSignal;
  /** Removes what must not be kept or sent: card numbers in every shape, keys, tokens. */
  redact(text: string): string;
}

/** The default export of a file under `hooks/` of the package. */
interface ShippedModule {
  readonly id: string;
  readonly points: readonly HookPoint[];
  readonly priority: number;
  readonly matcher?: string;
  decide(input: JsonObject, about: ShippedAbout): unknown;
}

export interface ShippedOptions {
  /** The package's `hooks/` folder. */
  readonly folder: string;
  readonly importModule: (path: string) => Promise<unknown>;
  readonly redact: (text: string) => string;
}

/** Loads the policies that come with Writ. They are part of the runtime and run on its thread; a broken one is a broken install. */
export async function shippedHooks(files: Files, options: ShippedOptions): Promise<Result<readonly HookHandler[]>> {
  const listed = await files.list(options.folder);
  if (!listed.ok) return listed;
  const handlers: HookHandler[] = [];
  for (const { name } of listed.value.filter((entry) => entry.type === "file" && entry.name.endsWith(".js"))) {
    const path = `${options.folder}/${name}`;
    const text = await files.readText(path);
    if (!text.ok) return text;
    let module: ShippedModule;
    try {
      module = parse(await options.importModule(path));
    } catch (thrown) {
      return err(
        domainError("INTERNAL", `the shipped hook ${name} cannot be loaded: ${messageOf(thrown)}`, { cause: thrown }),
      );
    }
    const file = { module, name, hash: sha256(text.value) };
    for (const point of module.points) handlers.push(handler(file, point, options.redact));
  }
  return ok(handlers);
}

/** A file under `hooks/` and what it exports. */
interface ShippedFile {
  readonly module: ShippedModule;
  readonly name: string;
  readonly hash: string;
}

function handler({ module, name, hash }: ShippedFile, point: HookPoint, redact: ShippedOptions["redact"]): HookHandler {
  return {
    id: module.id,
    point,
    priority: module.priority,
    ...aboutOf(module, point),
    timeoutMs: 10_000,
    kind: "module",
    source: `writ:${name}`,
    shipped: true,
    hash,
    run: async (input, signal, { point: asked, session_id, cwd }) =>
      module.decide(input, { point: asked, session_id, cwd, signal, redact }),
  };
}

/** What is left of an answer only the workspace's own hooks know: at Stop those of Writ are about reviews. */
function aboutOf({ matcher }: ShippedModule, point: HookPoint): { readonly matcher?: string } {
  if (matcher !== undefined) return { matcher };
  return point === "Stop" ? { matcher: "review" } : {};
}

function parse(imported: unknown): ShippedModule {
  const found = isJsonObject(imported) ? imported["default"] : undefined;
  if (!isJsonObject(found)) throw new TypeError("no default export");
  const { id, points, priority, matcher, decide } = found;
  const wellFormed =
    typeof id === "string" &&
    Array.isArray(points) &&
    points.every((point) => (hookPoints as readonly unknown[]).includes(point)) &&
    typeof priority === "number" &&
    (matcher === undefined || typeof matcher === "string") &&
    typeof decide === "function";
  if (!wellFormed) throw new TypeError("its default export must have id, points, priority and decide()");
  return found as unknown as ShippedModule;
}
