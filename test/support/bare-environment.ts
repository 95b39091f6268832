/** What a process of the tests needs of its surroundings: to find programs, to be of the same user, and to have its edits taken for that user's. */
export function bareEnvironment(): {
  readonly PATH: string;
  readonly XDG_CONFIG_HOME: string;
  readonly WRIT_TRUST: string;
} {
  const { PATH = "", XDG_CONFIG_HOME = "" } = process.env;
  return { PATH, XDG_CONFIG_HOME, WRIT_TRUST: "own" };
}
