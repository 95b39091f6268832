import { createTwoFilesPatch } from "diff";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { ReadPolicy } from "#governance";
import { whyProtected } from "#governance";
import { readWorkspaceFile } from "../adapters/read-file.ts";
import { type BuiltinSpec, builtin, type ViewOf } from "./builtin-spec.ts";
import { editText } from "./edit-text.ts";
import { type WriteTurn, writablePath } from "./fs-write.ts";
import { pathActs } from "./path-acts.ts";
import { decodeText, readableFile } from "./readable-path.ts";

const maxFileBytes = 16 * 1024 * 1024;
const maxDiff = 8 * 1024;
/** With more edits the search for a difference costs time by their square. */
const maxCompared = 2_000;

export interface FsEditOptions {
  readonly whyUnreadable: ReadPolicy;
  readonly viewOf: ViewOf | undefined;
  /** Absent where no turns are wired: then nothing is written. */
  readonly writeTurn: WriteTurn | undefined;
}

/** Changes places of a file by their exact text, as a protected write against the bytes that the change was made from. */
export function fsEdit({ whyUnreadable, viewOf, writeTurn }: FsEditOptions): BuiltinSpec<"fs.edit"> {
  return builtin({
    name: "fs.edit",
    description:
      "Changes a text file of the workspace: replaces old by new, in one place unless all is true. Read the file first. Gives the difference and the new hash.",
    // Not idempotent: what was replaced does not stand there a second time.
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    trust: "untrusted",
    acts: ({ path }) => [
      ...pathActs("read", path),
      ...pathActs("write", path).filter((act) => !("path" in act && whyProtected(act.path))),
    ],
    invoke: async (args, context) => {
      const readable = readableFile(args.path, whyUnreadable);
      if (!readable.ok) return readable;
      const path = writablePath(args.path);
      if (!path.ok) return path;
      if (!writeTurn)
        return err(domainError("SANDBOX_UNAVAILABLE", "files are written as turns, and there are none here"));
      const file = await readWorkspaceFile(context.root, path.value, maxFileBytes, viewOf?.(context.session_id));
      if (!file.ok) return file;
      const { bytes, hash } = file.value;
      context.onRead(path.value, hash);
      const fresh = checkHash(path.value, args.expected_hash, hash);
      if (!fresh.ok) return fresh;
      const before = decodeText(bytes);
      if (before === undefined) return err(domainError("TOOL_ERROR", `${JSON.stringify(path.value)} is no text`));
      const edited = editText(before, args.edits);
      if (!edited.ok) return edited;
      const written = await writeTurn({
        path: path.value,
        content: edited.value.text,
        expectedHash: hash,
        who: context.role,
        why: args.why ?? "edit",
        repeated: context.attempt > 1,
        mandate: context.mandate,
        recorder: context.recorder,
        workOrderId: context.work_order_id,
        signal: context.signal,
      });
      if (!written.ok) return written;
      context.onExcerpt(before);
      context.onExcerpt(edited.value.text);
      const difference = differenceOf(path.value, before, edited.value.text);
      return ok({
        path: path.value,
        hash: written.value.hash,
        bytes: written.value.bytes,
        replaced: edited.value.replaced,
        ...difference,
      });
    },
  });
}

function checkHash(path: string, expected: string | undefined, hash: string): Result<void> {
  if (expected === undefined || expected === hash) return ok(undefined);
  return err(
    domainError("WRITE_CONFLICT", `${JSON.stringify(path)} has changed since it was read: read it again`, {
      details: { path, expected_hash: expected, present_hash: hash },
    }),
  );
}

function differenceOf(
  path: string,
  before: string,
  after: string,
): { readonly diff: string; readonly truncated: boolean } {
  const patch = createTwoFilesPatch(path, path, before, after, "", "", { context: 2, maxEditLength: maxCompared });
  const diff = patch ?? "(too many changes to be shown)";
  return { diff: diff.slice(0, maxDiff).toWellFormed(), truncated: patch === undefined || diff.length > maxDiff };
}
