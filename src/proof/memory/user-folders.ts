import { isAbsolute, join } from "node:path";
import { homeOfAccount } from "#core/machine";

export type UserEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Where this user's own knowledge of Writ may lie, the likeliest first (XDG base directories). What the environment that
 * was handed in leaves out, the process's own says, then the account: a bare environment does not mean another user.
 */
export function userFolders(env: UserEnvironment): readonly string[] {
  const named = [env, process.env].flatMap(({ XDG_CONFIG_HOME, HOME }) => [XDG_CONFIG_HOME, below(HOME)]);
  return [...named, below(homeOfAccount())].flatMap((path) =>
    path !== undefined && isAbsolute(path) ? [join(path, "writ")] : [],
  );
}

function below(home: string | undefined): string | undefined {
  return home ? join(home, ".config") : undefined;
}
