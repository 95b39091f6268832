import { homedir, userInfo } from "node:os";

/**
 * The account that this process runs under. Containers start programs under an id that has no account (`docker run --user`): it
 * is named by its number.
 */
export function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}

/** The home of the account, whatever HOME says; undefined for an id without an account. */
export function homeOfAccount(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined; // an id without an account has no home
  }
}

/** Where HOME leads, or else the account; undefined where there is neither. */
export function homeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined; // an id without an account has no home
  }
}
