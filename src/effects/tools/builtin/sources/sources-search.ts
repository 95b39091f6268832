import { type Files, ok, type Result } from "#core/values";
import { matchesPath, type ReadPolicy } from "#governance";
import { readEntry } from "../../adapters/read-file.ts";
import { walk } from "../../adapters/walk.ts";
import type { ToolContext } from "../../tool.ts";
import { type BuiltinSpec, builtin, type ViewOf } from "../builtin-spec.ts";
import { decodeText } from "../readable-path.ts";
import { handbook, type Source } from "./handbook.ts";
import { rankPassages } from "./rank-passages.ts";
import { registryPassages } from "./registry-passages.ts";
import { splitPassages } from "./split-passages.ts";

const maxFileBytes = 1024 * 1024;
const maxTotalBytes = 32 * 1024 * 1024;

/** What people write for people. Anything else is looked at when a glob names it. */
const prose = ["**/*.{md,markdown,txt,rst,adoc,org}"];
/** Instructions and outputs of agents are no evidence. */
const policy = [
  "agents/**",
  "skills/**",
  "hooks/**",
  "workflows/**",
  "frameworks/**",
  "schemas/**",
  "packages/**",
  "output/**",
  "tmp/**",
];

/** Finds the passages that speak of a question, in the workspace's documents and registries and in Writ's own handbook. */
export function sourcesSearch(
  shippedBook: { readonly files: Files; readonly root: string } | undefined,
  whyUnreadable: ReadPolicy,
  viewOf?: ViewOf,
): BuiltinSpec<"sources.search"> {
  return builtin({
    name: "sources.search",
    description:
      "Finds passages that speak of a question: in documents and registries of the workspace, and in Writ's handbook. Gives each with its source, lines and hash, to be cited.",
    annotations: { readOnly: true, idempotent: true, openWorld: false },
    trust: "untrusted",
    acts: () => [],
    invoke: async (args, context) => {
      const view = viewOf?.(context.session_id);
      const own = await workspaceSources({ ...context, view }, args.glob, whyUnreadable);
      if (!own.ok) return own;
      const book = shippedBook ? await handbook(shippedBook.files, shippedBook.root) : [];
      const shipped = args.glob ? book.filter(({ source }) => matchesPath(args.glob ?? [], source)) : book;
      // A registry of the workspace stands for the shipped one of the same name.
      const names = new Set(own.value.sources.map(({ source }) => source));
      const sources = [
        ...own.value.sources,
        ...shipped.filter(({ source, kind }) => kind !== "registry" || !names.has(source)),
      ];
      const passages = sources.flatMap(({ source, kind, text, hash }) =>
        (kind === "registry" ? registryPassages(text) : splitPassages(text)).map((passage) => ({
          source,
          kind,
          hash,
          ...passage,
        })),
      );
      const best = rankPassages(args.query, passages, args.limit ?? 8);
      const shown = new Set(best.map(({ source }) => source));
      for (const { source, text } of own.value.sources) if (shown.has(source)) context.onExcerpt(text);
      return ok({
        passages: best.map((passage) => ({ ...passage })),
        searched: sources.length,
        truncated: own.value.truncated,
      });
    },
  });
}

async function workspaceSources(
  {
    root,
    view,
    signal,
    mandate,
    onRead,
  }: Pick<ToolContext, "root" | "signal" | "mandate" | "onRead"> & {
    readonly view: ReturnType<ViewOf> | undefined;
  },
  globs: readonly string[] | undefined,
  whyUnreadable: ReadPolicy,
): Promise<Result<{ readonly sources: readonly Source[]; readonly truncated: boolean }>> {
  const sources: Source[] = [];
  let left = maxTotalBytes;
  let skipped = false;
  const isWanted = (path: string): boolean => {
    if (globs) return matchesPath(globs, path);
    if (path.startsWith("registries/") && path.endsWith(".csv")) return true;
    return matchesPath(prose, path) && !matchesPath(policy, path);
  };
  const walked = await walk({
    root,
    view,
    start: "",
    depth: 64,
    whyUnreadable,
    mandate,
    signal,
    visit: async ({ path, type, folder, name }) => {
      if (type !== "file" || !isWanted(path)) return "on";
      if (left <= 0) return "stop";
      const file = await readEntry(folder, name, path, maxFileBytes);
      if (!file.ok) {
        skipped = true;
        return "on";
      }
      left -= file.value.bytes.length;
      onRead(path, file.value.hash);
      const text = decodeText(file.value.bytes);
      if (text === undefined) return "on";
      const kind = path.startsWith("registries/") ? "registry" : "file";
      sources.push({ source: path, kind, text, hash: file.value.hash });
      return "on";
    },
  });
  if (!walked.ok) return walked;
  return ok({ sources, truncated: walked.value.truncated || skipped });
}
