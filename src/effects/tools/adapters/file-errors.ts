import { codeOfError, type DomainError, domainError, messageOf } from "#core/errors";

/** What the file system said, as a value. `path` is the one that the caller used. */
export function fileError(thrown: unknown, path: string): DomainError {
  const shown = JSON.stringify(path === "" ? "." : path);
  switch (codeOfError(thrown)) {
    case "ENOENT":
      return domainError("NOT_FOUND", `there is no ${shown} in the workspace`);
    case "ELOOP":
      return symlinkError(path);
    case "ENOTDIR":
      return domainError("NOT_FOUND", `${shown} goes through something that is no folder`);
    case "EISDIR":
      return domainError("TOOL_ERROR", `${shown} is a folder`);
    case "EACCES":
    case "EPERM":
      return domainError("TOOL_ERROR", `the operating system does not allow it: ${shown}`);
    case "ENOSPC":
    case "EDQUOT":
      return domainError("TOOL_ERROR", `the disk is full: ${shown} was not written`, { retryable: true });
    default:
      return domainError("TOOL_ERROR", `${shown}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

export function symlinkError(path: string): DomainError {
  return domainError("CAPABILITY_VIOLATION", `${JSON.stringify(path)} goes through a symbolic link; none is followed`);
}
