import { err, type Result } from "#base";
import type { Checkpoint } from "#events";
import type { SchemaRegistry } from "#schemas";

/** A checkpoint that somebody kept, from the file that they name. */
export async function readCheckpoint(
  file: string,
  schemas: Pick<SchemaRegistry, "validate">,
): Promise<Result<Checkpoint>> {
  const { nodeFiles } = await import("#compose");
  const text = await nodeFiles.readText(file);
  if (!text.ok) return err({ ...text.error, message: `the checkpoint cannot be read: ${text.error.message}` });
  const { parseCheckpoint } = await import("#events");
  const parsed = parseCheckpoint(text.value, schemas);
  return parsed.ok ? parsed : err({ ...parsed.error, message: `${file}: ${parsed.error.message}` });
}
