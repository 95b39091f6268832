import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { isPlainName, whyProtected, workspacePath } from "#governance";
import type { FileWrite, Written } from "../../turns/write-file-turn.ts";
import { type BuiltinSpec, builtin } from "./builtin-spec.ts";
import { pathActs } from "./path-acts.ts";

/** Writes a file as a turn: declared, compared, committed whole, with its evidence. */
export type WriteTurn = (write: FileWrite) => Promise<Result<Written>>;

export interface FsWriteOptions {
  readonly schemas: SchemaRegistry;
  /** Absent where no turns are wired: then nothing is written. */
  readonly writeTurn: WriteTurn | undefined;
}

/** The protected write. Who writes is not the model's to say: the claim names the role that dispatch serves. */
export function fsWrite({ schemas, writeTurn }: FsWriteOptions): BuiltinSpec<"fs.write"> {
  return builtin({
    name: "fs.write",
    description:
      "Writes a text file of the workspace, whole. expected_hash must be the hash of the content it replaces, as fs.read gives it, or empty when the file must not exist yet; otherwise the answer is WRITE_CONFLICT with the present hash.",
    // Idempotent by its expected hash: a second try changes nothing, and a repeated call recognises its own work.
    annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    trust: "trusted",
    // What is never written is refused below in its own words, whatever the order says.
    acts: ({ path }) => pathActs("write", path).filter((act) => !("path" in act && whyProtected(act.path))),
    invoke: async (args, context) => {
      const path = writablePath(args.path);
      if (!path.ok) return path;
      const { expected_hash, why } = args;
      const claim = { who: context.role, why, expected_hash, schema_version: "v1" };
      const checked = schemas.validate("write_claim_v1", claim);
      if (!checked.ok) return checked;
      if (!writeTurn)
        return err(domainError("SANDBOX_UNAVAILABLE", "files are written as turns, and there are none here"));
      const written = await writeTurn({
        path: path.value,
        content: args.content,
        expectedHash: expected_hash,
        who: context.role,
        why,
        repeated: context.attempt > 1,
        mandate: context.mandate,
        recorder: context.recorder,
        workOrderId: context.work_order_id,
        signal: context.signal,
      });
      if (!written.ok) return written;
      return ok({ path: path.value, ...written.value, claim });
    },
  });
}

/** Where a tool never writes, whatever the mandate says: Writ's law, its ledgers, code that runs unasked. */
export function writablePath(text: string): Result<string> {
  const path = workspacePath(text);
  if (!path.ok) return path;
  const shown = JSON.stringify(path.value);
  const why = whyProtected(path.value);
  if (why !== undefined) return refused(`${shown} is never written by tools: ${why}`);
  if (!isPlainName(path.value))
    return refused(`the name ${shown} holds characters that people cannot see or that have two forms`);
  return path;
}

function refused(message: string): Result<never> {
  return err(domainError("CAPABILITY_VIOLATION", message));
}
