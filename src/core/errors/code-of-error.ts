/** The code of an exception of the machine or of a database, such as ENOENT or 40001; undefined where it has none. */
export function codeOfError(thrown: unknown): string | undefined {
  const hasCode = typeof thrown === "object" && thrown !== null && "code" in thrown;
  return hasCode && typeof thrown.code === "string" ? thrown.code : undefined;
}

/** Whether it says that nothing has this path. */
export function isMissing(thrown: unknown): boolean {
  const code = codeOfError(thrown);
  return code === "ENOENT" || code === "ENOTDIR";
}
