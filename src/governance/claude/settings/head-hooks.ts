import { basename, dirname } from "node:path";
import { parseFrontmatter } from "#core/contracts";
import { isJsonObject, type Result } from "#core/values";
import { brokenSettings, type ReadSettings, type SettingsDocument, type SettingsNote } from "./settings-document.ts";
import type { SettingsPlace } from "./settings-files.ts";
import { readHooksOf, type SettingsHook } from "./settings-hooks.ts";
import type { HttpLimits } from "./settings-http.ts";

interface HeadHooks {
  readonly files: readonly string[];
  readonly hooks: readonly SettingsHook[];
  readonly notes: readonly SettingsNote[];
}

/** Where files lie that may have hooks in their heads, and what their hooks are held to. */
const kinds = [
  { folder: "skills", isFile: (name: string) => name === "SKILL.md", of: "skill" },
  { folder: "commands", isFile: (name: string) => name.endsWith(".md"), of: "skill" },
  { folder: "agents", isFile: (name: string) => name.endsWith(".md"), of: "persona" },
] as const;

const mostFolders = 500;
const ofCalls: readonly string[] = [
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
];

/**
 * The hooks in heads of skills, commands and subagents, of the workspace and of its plugins: asked once the skill was started in a
 * session, or about the calls of the subagent. A head that cannot be read denies there, and hinders no other.
 */
export async function readHeadHooks(place: ReadSettings, limits: HttpLimits): Promise<HeadHooks> {
  const files: string[] = [];
  const hooks: SettingsHook[] = [];
  const notes: SettingsNote[] = [];
  for (const base of [".claude", ...(await pluginFolders(place))])
    for (const { folder, isFile, of } of kinds)
      for (const shown of await filesBelow(`${base}/${folder}`, isFile, place)) {
        const document = await documentOf(shown, place);
        if (!document) continue;
        files.push(shown);
        const name = nameOf(shown, document.head);
        const within = of === "skill" ? { skill: name } : { persona: name };
        const read = readHooksOf(document, place, limits);
        if (!read.ok) {
          const closed = { command: shown, isAsync: false, from: shown, where: shown, unable: read.error.message };
          hooks.push({ ...closed, event: "PreToolUse", at: "PreToolUse", within });
          continue;
        }
        notes.push(...read.value.notes);
        for (const hook of read.value.hooks)
          if (of === "skill" || ofCalls.includes(hook.event)) hooks.push({ ...hook, within });
          else notes.push(document.note("$.hooks", `${hook.event} of a subagent is not asked: only its calls are`));
      }
  return { files, hooks, notes };
}

async function pluginFolders({ root, files }: SettingsPlace): Promise<readonly string[]> {
  const listed = await files.list(`${root}/.claude/plugins`);
  return listed.ok
    ? listed.value.flatMap(({ name, type }) => (type === "folder" ? [`.claude/plugins/${name}`] : []))
    : [];
}

async function filesBelow(
  folder: string,
  isFile: (name: string) => boolean,
  { root, files }: SettingsPlace,
): Promise<readonly string[]> {
  const found: string[] = [];
  const open = [folder];
  for (let at = open.shift(), looked = 0; at !== undefined && looked < mostFolders; at = open.shift(), looked++) {
    const listed = await files.list(`${root}/${at}`);
    for (const { name, type } of listed.ok ? listed.value : [])
      if (type === "folder") open.push(`${at}/${name}`);
      else if (type === "file" && isFile(name)) found.push(`${at}/${name}`);
  }
  return found;
}

async function documentOf(
  shown: string,
  { root, files }: SettingsPlace,
): Promise<(SettingsDocument & { readonly head: Readonly<Record<string, unknown>> }) | undefined> {
  const path = `${root}/${shown}`;
  const text = await files.readText(path, { maxBytes: 1024 * 1024 });
  if (!text.ok || !/^hooks\s*:/m.test(text.value)) return undefined;
  const folder = dirname(shown);
  const plugin = /^\.claude\/plugins\/[^/]+/.exec(shown)?.[0] ?? folder;
  const words = text.value
    .replaceAll(/\$\{?CLAUDE_SKILL_DIR\}?/g, `\${CLAUDE_PROJECT_DIR}/${folder}`)
    .replaceAll(/\$\{?CLAUDE_PLUGIN_ROOT\}?/g, `\${CLAUDE_PROJECT_DIR}/${plugin}`);
  const parsed = parseFrontmatter(words, { repairs: true });
  if (!parsed.ok || parsed.value.data["hooks"] === undefined) return undefined;
  const { data, lineOf } = parsed.value;
  const { hooks } = data;
  return {
    scope: "project",
    path,
    shown,
    anchor: root,
    head: data,
    value: { hooks: isJsonObject(hooks) ? hooks : (hooks ?? null) },
    note: (at, note) => ({ file: shown, line: lineOf(at), note }),
    refuse: (at, why): Result<never> => brokenSettings(`${shown}:${lineOf(at)}`, `${at.replace(/^\$\.?/, "")} ${why}`),
  };
}

/** A skill is named after its folder, a command after its file, a subagent as its head says. */
function nameOf(shown: string, { name }: Readonly<Record<string, unknown>>): string {
  if (basename(shown) === "SKILL.md") return basename(shown.slice(0, -"/SKILL.md".length));
  const file = basename(shown, ".md");
  const said = shown.includes("/agents/") && typeof name === "string" ? name : file;
  return shown.includes("/agents/") ? said.trim().replaceAll(/\s+/g, "-").toLowerCase() : said;
}
