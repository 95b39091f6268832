import { lstat } from "node:fs/promises";
import { type JsonObject, ok } from "#core/values";
import { matchesPath, type ReadPolicy } from "#governance";
import { walk } from "../adapters/walk.ts";
import { type BuiltinSpec, builtin, type ViewOf } from "./builtin-spec.ts";
import { readablePath } from "./readable-path.ts";

/** Lists what lies in a folder. Links are named, never followed. */
export function fsList(whyUnreadable: ReadPolicy, viewOf?: ViewOf): BuiltinSpec<"fs.list"> {
  return builtin({
    name: "fs.list",
    description:
      "Lists files and folders of the workspace, sorted, some folders deep. A glob such as src/**/*.ts narrows it. Does not look into .git and node_modules unless asked to begin there.",
    annotations: { readOnly: true, idempotent: true, openWorld: false },
    trust: "untrusted",
    maxOutputBytes: 1024 * 1024,
    acts: () => [],
    invoke: async (args, context) => {
      const start = readablePath(args.path ?? "", whyUnreadable);
      if (!start.ok) return start;
      const globs = args.glob === undefined ? undefined : [args.glob];
      const limit = args.limit ?? 500;
      const entries: JsonObject[] = [];
      const walked = await walk({
        root: context.root,
        view: viewOf?.(context.session_id),
        start: start.value,
        depth: args.depth ?? 8,
        whyUnreadable,
        mandate: context.mandate,
        signal: context.signal,
        visit: async ({ path, type, folder, name }) => {
          if (globs && !matchesPath(globs, path)) return "on";
          if (entries.length >= limit) return "stop";
          const bytes = type === "file" ? await sizeOf(folder.at(name)) : undefined;
          entries.push({ path, type, ...(bytes === undefined ? {} : { bytes }) });
          return "on";
        },
      });
      if (!walked.ok) return walked;
      const { truncated, tooDeep } = walked.value;
      return ok({ entries, truncated: truncated || (args.depth === undefined && tooDeep) });
    },
  });
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).size;
  } catch {
    return undefined; // gone since it was listed
  }
}
