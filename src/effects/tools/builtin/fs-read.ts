import { ok, sha256 } from "#core/values";
import type { ReadPolicy } from "#governance";
import { readWorkspaceFile } from "../adapters/read-file.ts";
import type { AgentPorts } from "../agent-ports.ts";
import type { TextRange } from "../tool.ts";
import { type BuiltinSpec, builtin, type ViewOf } from "./builtin-spec.ts";
import { pathActs } from "./path-acts.ts";
import { decodeText, readableFile } from "./readable-path.ts";

const maxFileBytes = 16 * 1024 * 1024;
/** The most that one call returns: a longer file is read in parts. */
const maxContent = 50 * 1024;
const maxLines = 2_000;

/** Reads a text file, whole or some lines of it. Its hash is what a later write has to name. */
export function fsRead(
  whyUnreadable: ReadPolicy,
  viewOf?: ViewOf,
  ports?: Pick<AgentPorts, "readArtifact">,
): BuiltinSpec<"fs.read"> {
  return builtin({
    name: "fs.read",
    description:
      "Reads a text file of the workspace, or some lines of it. Gives the content and the hash of the whole file, which fs.write needs to replace it.",
    annotations: { readOnly: true, idempotent: true, openWorld: false },
    trust: "untrusted",
    acts: ({ path }) => (isArtifact(path) ? [] : pathActs("read", withoutSkillPrefix(path))),
    invoke: async (args, context) => {
      if (ports && isArtifact(args.path)) {
        const kept = await ports.readArtifact(context.session_id, args.path.slice(artifactPrefix.length));
        if (!kept.ok) return kept;
        const bytes = Buffer.from(kept.value, "utf8");
        const range = selectLines(kept.value, args.start_line ?? 1, args.line_count);
        return ok({ path: args.path, hash: sha256(bytes), bytes: bytes.length, binary: false, ...range });
      }
      const path = readableFile(withoutSkillPrefix(args.path), whyUnreadable);
      if (!path.ok) return path;
      const file = await readWorkspaceFile(context.root, path.value, maxFileBytes, viewOf?.(context.session_id));
      if (!file.ok) return file;
      const { bytes, hash } = file.value;
      context.onRead(path.value, hash);
      const text = decodeText(bytes);
      const range = text === undefined ? nothing : selectLines(text, args.start_line ?? 1, args.line_count);
      if (text !== undefined && (range.truncated || range.start_line > 1))
        context.onExcerpt(text, [placeOf(text, range)]);
      return ok({ path: path.value, hash, bytes: bytes.length, binary: text === undefined, ...range });
    },
  });
}

const artifactPrefix = "artifact:";

/** `skill:name/file` is a file beside a skill of the workspace: read by the same rights as under its whole path. */
function withoutSkillPrefix(path: string): string {
  return path.startsWith("skill:") ? `skills/${path.slice("skill:".length)}` : path;
}

/** What a result was cut to names the whole by such a path. The session's own record holds it. */
function isArtifact(path: string): boolean {
  return path.startsWith(artifactPrefix);
}

const nothing = { content: "", start_line: 1, line_count: 0, total_lines: 0, truncated: false };

function placeOf(text: string, { start_line, content }: typeof nothing): TextRange {
  let from = 0;
  for (let line = 1; line < start_line && from < text.length; line++)
    from = text.indexOf("\n", from) + 1 || text.length;
  return { from, to: from + content.length };
}

export function selectLines(text: string, start: number, count: number | undefined): typeof nothing {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop(); // a newline ends a line, it does not begin one
  const wanted = lines.slice(start - 1, start - 1 + Math.min(count ?? maxLines, maxLines));
  let size = 0;
  let fitting = 0;
  while (fitting < wanted.length && size + (wanted[fitting] ?? "").length + 1 <= maxContent) {
    size += (wanted[fitting] ?? "").length + 1;
    fitting++;
  }
  // A line that fits nowhere is shown in part: better its beginning than nothing.
  const cut = fitting === 0 && wanted.length > 0;
  const shown = cut ? [(wanted[0] ?? "").slice(0, maxContent).toWellFormed()] : wanted.slice(0, fitting);
  const end = start - 1 + shown.length;
  const isEnd = end >= lines.length && !cut;
  return {
    content: shown.join("\n") + (shown.length > 0 && (!isEnd || text.endsWith("\n")) && !cut ? "\n" : ""),
    start_line: start,
    line_count: shown.length,
    total_lines: lines.length,
    truncated: cut || end < lines.length,
  };
}
