import type { WritConfig } from "#workspace";

interface HookEntry {
  readonly command?: string;
  readonly module?: string;
}

/**
 * What the hooks of writ.yaml name: their modules, and the words of their commands that can be paths. As soon as one lies in
 * `hooks/`, that folder is Writ's as a whole, because a program may read whatever lies beside it.
 */
export function filesOfHooks(hooks: WritConfig["hooks"]): readonly string[] {
  const groups = Object.values(hooks).flatMap((each) => (Array.isArray(each) ? each : []));
  const entries = groups.flatMap((group: { readonly hooks?: readonly HookEntry[] }) => group.hooks ?? []);
  const words = entries.flatMap(({ command = "", module }) => [
    ...(module === undefined ? [] : [module]),
    ...command
      .replaceAll(/\$\{?(CLAUDE_PROJECT_DIR|WRIT_ROOT)\}?\/?/g, "")
      .split(/[\s"'`;|&()<>=]+/)
      .filter((word) => word.includes("/")),
  ]);
  const inHooks = words.some((word) => /^(\.\/)?hooks\//i.test(word));
  return inHooks ? [...words, "hooks"] : words;
}
