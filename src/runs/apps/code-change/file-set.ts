import type { PatchOperationV1, PatchV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result, type Sha256, sha256 } from "#core/values";
import type { Documents } from "../../kernel/documents.ts";
import { decode } from "../read-revision.ts";

/** The files of a change, by path. Immutable: applying a patch returns a new set, or the conflict. */
export type FileSet = ReadonlyMap<string, string>;

export async function applyFilePatch(files: FileSet, patch: PatchV1, documents: Documents): Promise<Result<FileSet>> {
  let made = files;
  for (const [index, operation] of patch.ops.entries()) {
    const next = await applyFileOperation(made, operation, documents);
    if (!next.ok)
      return err({ ...next.error, message: `operation ${index + 1} (${operation.op}): ${next.error.message}` });
    made = next.value;
  }
  return ok(made);
}

async function applyFileOperation(
  files: FileSet,
  operation: PatchOperationV1,
  documents: Documents,
): Promise<Result<FileSet>> {
  switch (operation.op) {
    case "file.write": {
      const content = await contentOf(operation, documents);
      if (!content.ok) return content;
      if (files.get(operation.path) === content.value) return ok(files);
      const conflict = conflictOf(files, operation.path, operation.expected_hash);
      return conflict ? err(conflict) : ok(new Map([...files, [operation.path, content.value]]));
    }
    case "file.delete": {
      const conflict = conflictOf(files, operation.path, operation.expected_hash);
      return conflict ? err(conflict) : ok(new Map([...files].filter(([path]) => path !== operation.path)));
    }
    default:
      return err(
        domainError(
          "MALFORMED_INPUT",
          `expected an operation on a file; found ${operation.op}. This run keeps a set of files; sections belong to runs of the writer`,
        ),
      );
  }
}

async function contentOf(
  operation: Extract<PatchOperationV1, { op: "file.write" }>,
  documents: Documents,
): Promise<Result<string>> {
  if (operation.content !== undefined) return ok(operation.content);
  if (operation.document === undefined)
    return err(
      domainError(
        "MALFORMED_INPUT",
        `expected the content of ${operation.path}, or a document that holds it; found neither`,
      ),
    );
  const kept = await documents.get(operation.document.sha256);
  return kept.ok ? decode(kept.value) : kept;
}

/** `expected`: null requires that the file is absent, a hash requires this content, undefined requires nothing. */
function conflictOf(files: FileSet, path: string, expected: string | null | undefined) {
  if (expected === undefined) return undefined;
  const found: Sha256 | null = files.has(path) ? sha256(files.get(path) ?? "") : null;
  if (found === expected) return undefined;
  const words = (hash: string | null) => (hash === null ? "no such file" : `content ${hash.slice(0, 12)}…`);
  return domainError(
    "WRITE_CONFLICT",
    `expected ${words(expected)} at ${path}; found ${words(found)}. Somebody changed it meanwhile: read it again and make the change on top of it`,
    { details: { path } },
  );
}
