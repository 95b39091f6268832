/** What a process of the tests needs of its surroundings: to find programs, and to be of the same user. */
export function bareEnvironment(): { readonly PATH: string; readonly XDG_CONFIG_HOME: string } {
  return { PATH: process.env["PATH"] ?? "", XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"] ?? "" };
}
