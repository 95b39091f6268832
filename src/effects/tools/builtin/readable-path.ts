import { domainError } from "#core/errors";
import { err, type Result } from "#core/values";
import { type ReadPolicy, workspacePath } from "#governance";

/** Where a tool may look: anywhere in the workspace but where secrets and ledgers are. */
export function readablePath(text: string, whyUnreadable: ReadPolicy): Result<string> {
  const path = workspacePath(text);
  if (!path.ok) return path;
  const why = whyUnreadable(path.value);
  if (why === undefined) return path;
  return err(domainError("CAPABILITY_VIOLATION", `${JSON.stringify(path.value)} is not read by tools: ${why}`));
}

export function readableFile(text: string, whyUnreadable: ReadPolicy): Result<string> {
  const path = readablePath(text, whyUnreadable);
  if (!path.ok || path.value !== "") return path;
  return err(domainError("TOOL_ERROR", `${JSON.stringify(text)} is the workspace itself, not a file`));
}

/** Bytes as text, or undefined when they are none. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // not UTF-8: binary, as far as a model is concerned
  }
}
