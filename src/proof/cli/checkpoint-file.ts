import type { SchemaRegistry } from "#core/contracts";
import { err, type Result } from "#core/values";
import type { Checkpoint } from "../anchors/checkpoint.ts";

/** Reads a kept checkpoint from the file that the user names. */
export async function readCheckpoint(
  file: string,
  schemas: Pick<SchemaRegistry, "validate">,
): Promise<Result<Checkpoint>> {
  const { nodeFiles } = await import("../../core/machine/node-files.ts");
  const text = await nodeFiles.readText(file);
  if (!text.ok) return err({ ...text.error, message: `the checkpoint cannot be read: ${text.error.message}` });
  const { parseCheckpoint } = await import("../anchors/checkpoint.ts");
  const parsed = parseCheckpoint(text.value, schemas);
  return parsed.ok ? parsed : err({ ...parsed.error, message: `${file}: ${parsed.error.message}` });
}
