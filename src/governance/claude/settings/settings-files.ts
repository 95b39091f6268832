import { join } from "node:path";
import type { Files } from "#core/values";

export type SettingsScope = "managed" | "user" | "project" | "local";

/** A settings file, whether or not it is there. */
export interface SettingsFile {
  readonly scope: SettingsScope;
  readonly path: string;
  /** As people know it. */
  readonly shown: string;
  /** Where `/path` in its rules begins. */
  readonly anchor: string;
  /** Of the hooks of a plugin: its folder. */
  readonly plugin?: string;
}

export interface SettingsPlace {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: Files;
  /** Where an administrator keeps settings; that of the platform by default. */
  readonly managed?: string;
}

/** Where Claude Code looks for what an organization prescribes. */
const managedFolders: Readonly<Record<string, string>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  linux: "/etc/claude-code",
};

/** The folders of an administrator and of the person; the latter unless it lies in the workspace and is read as such. */
export function outerFolders({ root, env, managed }: Omit<SettingsPlace, "files">): {
  readonly managed: string | undefined;
  readonly home: string | undefined;
} {
  const home = env["CLAUDE_CONFIG_DIR"] ?? (env["HOME"] === undefined ? undefined : join(env["HOME"], ".claude"));
  return {
    managed: managed ?? managedFolders[process.platform],
    home: home === undefined || `${home}/`.startsWith(`${root}/`) ? undefined : home,
  };
}

/** In the order of their precedence for single values, the highest first. Lists of all of them count together. */
export async function settingsFiles(place: SettingsPlace): Promise<readonly SettingsFile[]> {
  const { root, files } = place;
  const { managed: folder, home } = outerFolders(place);
  const own = (scope: SettingsScope, name: string): SettingsFile => ({
    scope,
    path: join(root, ".claude", name),
    shown: `.claude/${name}`,
    anchor: root,
  });
  return [
    ...(folder === undefined ? [] : await managedFiles(folder, files)),
    own("local", "settings.local.json"),
    own("project", "settings.json"),
    // In a person's home folder both are the same file, and the workspace's comes first.
    ...(home === undefined
      ? []
      : [
          { scope: "user" as const, path: join(home, "settings.json"), shown: "~/.claude/settings.json", anchor: home },
        ]),
  ];
}

async function managedFiles(folder: string, files: Files): Promise<readonly SettingsFile[]> {
  const parts = await files.list(join(folder, "managed-settings.d"));
  const names = parts.ok ? parts.value.map(({ name }) => name).filter((name) => name.endsWith(".json")) : [];
  // Of the parts of an administrator's settings the last one by name counts.
  const paths = [
    ...names
      .toSorted()
      .reverse()
      .map((name) => `managed-settings.d/${name}`),
    "managed-settings.json",
  ];
  return paths.map((name) => ({
    scope: "managed",
    path: join(folder, name),
    shown: join(folder, name),
    anchor: folder,
  }));
}
