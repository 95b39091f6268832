import { codeOfError, isMissing } from "../errors/code-of-error.ts";
import { domainError, messageOf } from "../errors/domain-error.ts";
import { err, type Result } from "../values/result.ts";

/** An exception of a read as a value. */
export function readingFailure(path: string, thrown: unknown, hint?: string): Result<never> {
  const details = { where: path, ...(hint === undefined ? {} : { hint }) };
  const code = codeOfError(thrown);
  if (isMissing(thrown)) return err(domainError("NOT_FOUND", `there is no file ${path}`, { details, cause: thrown }));
  const message =
    code === "EACCES" || code === "EPERM"
      ? `${path} may not be read by this user`
      : `cannot read ${path}: ${messageOf(thrown)}`;
  return err(domainError("MALFORMED_INPUT", message, { details, cause: thrown }));
}
