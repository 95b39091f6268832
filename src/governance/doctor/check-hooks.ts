import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { type DoctorCheck, doctorCheck } from "#core/shapes";
import { ok } from "#core/values";
import { readConfig } from "#workspace";
import { readSettings } from "../claude/settings/read-settings.ts";
import { whyUnparsed } from "../hooks/adapters/why-unread.ts";
import { type HookFile, hookFiles } from "../hooks/hook-files.ts";
import { hookPoints } from "../hooks/hook-points.ts";

/** Whether the hooks of the workspace can be asked at all: one that cannot denies, which is found out when it does. Nothing of them is run. */
export const checkHooks: DoctorCheck = doctorCheck<"config" | "hook">({
  id: "hooks",
  title: "Hooks",
  async run({ root, files, env }) {
    if (root === undefined) return { health: "works", found: "no workspace, so none but those that come with Writ" };
    const config = await readConfig(root, files, env);
    if (!config.ok)
      return {
        health: "limited",
        found: "not looked at: the configuration cannot be read",
        why: null,
        cause: "config",
      };
    const { hooks: named } = config.value.config;
    const settings = named.read_claude_settings
      ? await readSettings({ root, env, files, isTrusted: true })
      : ok({ hooks: [], notes: [] });
    if (!settings.ok)
      return {
        health: "limited",
        found: settings.error.message,
        why: "no work begins before it is mended",
        cause: "hook",
      };
    const own = hookPoints.flatMap((point) => (named[point] ?? []).flatMap((group) => group.hooks));
    const hooks = [...own, ...settings.value.hooks];
    const { notes } = settings.value;
    const unable = settings.value.hooks.filter((hook) => hook.unable !== undefined);
    if (hooks.length === 0 && notes.length === 0)
      return { health: "works", found: "none but those that come with Writ" };
    const problems = new Set<string>();
    for (const file of hookFiles(named)) {
      const problem = await whyUnusable(root, file);
      if (problem !== undefined) problems.add(problem);
    }
    for (const { where, unable: why = "" } of unable) problems.add(`${where}: ${why}`);
    const from =
      settings.value.hooks.length === 0 ? "" : ` (${settings.value.hooks.length} from settings of Claude Code)`;
    const left =
      notes.length === 0
        ? ""
        : `; not taken: ${notes.map(({ file, line, note }) => `${file}:${line}: ${note}`).join("; ")}`;
    if (problems.size === 0)
      return { health: "works", found: `${hooks.length} of this workspace${from}, and those of Writ${left}` };
    return {
      health: "limited",
      found: `${[...problems].join("; ")}${left}`,
      why: "a hook that cannot be asked denies",
      cause: "hook",
    };
  },
  remedy: (cause) => (cause === "hook" ? "mend the file that it names" : null),
});

async function whyUnusable(root: string, { file, isProgram }: HookFile): Promise<string | undefined> {
  const path = resolve(root, file);
  if (!(await may(path, constants.R_OK))) return `${file} is not there, or may not be read`;
  if (isProgram)
    return (await may(path, constants.X_OK)) ? undefined : `${file} may not be executed (chmod +x ${file})`;
  const fault = /\.[cm]?js$/.test(path) ? await whyUnparsed(path) : undefined;
  return fault && `${file} cannot be parsed: ${fault.place}: ${fault.what}`;
}

async function may(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch {
    return false; // whatever the reason, the hook cannot be asked
  }
}
