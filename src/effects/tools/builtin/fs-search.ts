import type { FsSearchArgsV1 } from "#core/contracts";
import { compilePattern, type JsonObject, ok, type Result } from "#core/values";
import { matchesPath, type ReadPolicy } from "#governance";
import { readEntry } from "../adapters/read-file.ts";
import { walk } from "../adapters/walk.ts";
import type { TextRange } from "../tool.ts";
import { type BuiltinSpec, builtin, type ViewOf } from "./builtin-spec.ts";
import { decodeText, readablePath } from "./readable-path.ts";

const maxFileBytes = 1024 * 1024;
const maxTotalBytes = 64 * 1024 * 1024;
const maxLine = 500;

/** Finds lines. The pattern runs on RE2, in linear time: no pattern can hang the runtime. */
export function fsSearch(whyUnreadable: ReadPolicy, viewOf?: ViewOf): BuiltinSpec<"fs.search"> {
  return builtin({
    name: "fs.search",
    description:
      "Finds lines in the text files of the workspace. The pattern is in RE2 syntax, or plain text when literal is true.",
    annotations: { readOnly: true, idempotent: true, openWorld: false },
    trust: "untrusted",
    maxOutputBytes: 1024 * 1024,
    acts: () => [],
    invoke: async (args, context) => {
      const start = readablePath(args.path ?? "", whyUnreadable);
      if (!start.ok) return start;
      const matches = lineMatcher(args);
      if (!matches.ok) return matches;
      const globs = args.glob === undefined ? undefined : [args.glob];
      const limit = args.limit ?? 100;
      const found: JsonObject[] = [];
      let filesSearched = 0;
      let bytesLeft = maxTotalBytes;
      let skippedLarge = false;
      const walked = await walk({
        root: context.root,
        view: viewOf?.(context.session_id),
        start: start.value,
        depth: 64,
        whyUnreadable,
        mandate: context.mandate,
        signal: context.signal,
        visit: async ({ path, type, folder, name }) => {
          if (type !== "file" || (globs && !matchesPath(globs, path))) return "on";
          if (bytesLeft <= 0) return "stop";
          const file = await readEntry(folder, name, path, maxFileBytes);
          if (!file.ok) {
            skippedLarge ||= file.error.code === "TOOL_ERROR";
            return "on";
          }
          bytesLeft -= file.value.bytes.length;
          context.onRead(path, file.value.hash);
          const text = decodeText(file.value.bytes);
          if (text === undefined) return "on";
          filesSearched++;
          const shown: TextRange[] = [];
          const next = await searchText(text, matches.value, context.signal, (line, number, from) => {
            if (found.length >= limit) return false;
            shown.push({ from, to: from + line.length });
            return found.push({ path, line: number, text: shorten(line) }) > 0;
          });
          context.onExcerpt(text, shown);
          return next;
        },
      });
      if (!walked.ok) return walked;
      return ok({ matches: found, files_searched: filesSearched, truncated: walked.value.truncated || skippedLarge });
    },
  });
}

/** Calls `take` with each line that matches, its number and its place, until it takes no more. */
async function searchText(
  text: string,
  matches: (line: string) => boolean,
  signal: AbortSignal,
  take: (line: string, number: number, at: number) => boolean,
): Promise<"on" | "stop"> {
  let at = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (index % 2000 === 1999) await breathe();
    if (signal.aborted) return "stop";
    if (matches(line) && !take(line, index + 1, at)) return "stop";
    at += line.length + 1;
  }
  return "on";
}

function lineMatcher(args: FsSearchArgsV1): Result<(line: string) => boolean> {
  if (args.literal === true) {
    const text = args.ignore_case === true ? args.pattern.toLowerCase() : args.pattern;
    return ok((line) => (args.ignore_case === true ? line.toLowerCase() : line).includes(text));
  }
  const pattern = compilePattern(args.ignore_case === true ? `(?i)${args.pattern}` : args.pattern);
  return pattern.ok ? ok((line) => pattern.value.test(line)) : pattern;
}

/** Lets timers and other sessions have their turn while a large file is searched. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function shorten(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return text.length > maxLine ? `${text.slice(0, maxLine - 1).toWellFormed()}…` : text;
}
