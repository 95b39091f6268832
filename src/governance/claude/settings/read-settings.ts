import { locateYaml, type MandateV1 } from "#core/contracts";
import { isJsonObject, ok, parseJson, type Result, suggest } from "#core/values";
import { findOutputStyle } from "../../rules/find-output-style.ts";
import { documentedSettings } from "./documented-settings.ts";
import { readHeadHooks } from "./head-hooks.ts";
import {
  brokenSettings,
  type ReadSettings,
  type SettingsDocument,
  type SettingsNote,
  typeOf,
} from "./settings-document.ts";
import { type SettingsFile, type SettingsPlace, settingsFiles } from "./settings-files.ts";
import { isManagedOnly, readSettingsHooks, type SettingsHook } from "./settings-hooks.ts";
import { httpLimitsOf } from "./settings-http.ts";
import { readPermissions } from "./settings-permissions.ts";

/** The settings of Claude Code as far as they govern: hooks and permissions of all files that are there. */
export interface ClaudeSettings {
  readonly files: readonly string[];
  readonly hooks: readonly SettingsHook[];
  /** Absent: no file has permissions. */
  readonly permissions: MandateV1["settings"] | undefined;
  readonly notes: readonly SettingsNote[];
}

const maxBytes = 1024 * 1024;

/** Reads all settings files. One that cannot be read is an error, not an open gate; so is it when none of them is there. */
export async function readSettings(place: ReadSettings): Promise<Result<ClaudeSettings>> {
  const documents: SettingsDocument[] = [];
  for (const file of await settingsFiles(place)) {
    const read = await readDocument(file, place);
    if (!read.ok) return read;
    if (read.value) documents.push(read.value);
  }
  if (documents.length === 0) return brokenSettings(".claude/settings.json", "is not there");
  const plugins: SettingsDocument[] = [];
  for (const file of await pluginHooks(place)) {
    const read = await readDocument(file, place);
    if (!read.ok) return read;
    if (read.value) plugins.push(read.value);
  }
  const hooks = readSettingsHooks([...documents, ...plugins], place);
  if (!hooks.ok) return hooks;
  const heads = await headsOf(documents, place);
  if (!heads.ok) return heads;
  const permissions = readPermissions(documents, place);
  if (!permissions.ok) return permissions;
  const style = await noteOfStyle(documents, place);
  if (!style.ok) return style;
  return ok({
    files: [...[...documents, ...plugins].map(({ shown }) => shown), ...heads.value.files],
    hooks: [...hooks.value.hooks, ...heads.value.hooks],
    permissions: permissions.value.permissions,
    notes: [
      ...documents.flatMap(leftOut),
      ...style.value,
      ...hooks.value.notes,
      ...heads.value.notes,
      ...permissions.value.notes,
    ],
  });
}

async function headsOf(
  documents: readonly SettingsDocument[],
  place: ReadSettings,
): Promise<Result<Awaited<ReturnType<typeof readHeadHooks>>>> {
  const limits = httpLimitsOf(documents);
  if (!limits.ok) return limits;
  return ok(isManagedOnly(documents) ? { files: [], hooks: [], notes: [] } : await readHeadHooks(place, limits.value));
}

/** The hooks of plugins whose folders lie in the workspace. */
async function pluginHooks({ root, files }: SettingsPlace): Promise<readonly SettingsFile[]> {
  const folder = await files.stat(`${root}/.claude/plugins`);
  if (!folder.ok || folder.value?.type !== "folder") return [];
  const listed = await files.list(`${root}/.claude/plugins`);
  const names = listed.ok ? listed.value.flatMap(({ name, type }) => (type === "folder" ? [name] : [])) : [];
  return names.map((name) => {
    const shown = `.claude/plugins/${name}/hooks/hooks.json`;
    return { scope: "project", path: `${root}/${shown}`, shown, anchor: root, plugin: `.claude/plugins/${name}` };
  });
}

async function readDocument(
  file: SettingsFile,
  { files }: SettingsPlace,
): Promise<Result<SettingsDocument | undefined>> {
  const text = await files.readText(file.path, { maxBytes });
  if (!text.ok)
    return text.error.code === "NOT_FOUND"
      ? ok(undefined)
      : brokenSettings(file.shown, `cannot be read: ${text.error.message}`);
  if (text.value.trim() === "") return ok(undefined);
  // A plugin names its own folder, wherever it lies.
  const words = file.plugin
    ? text.value.replaceAll(/\$\{?CLAUDE_PLUGIN_ROOT\}?/g, `\${CLAUDE_PROJECT_DIR}/${file.plugin}`)
    : text.value;
  const parsed = parseJson(words);
  if (!parsed.ok) return brokenSettings(file.shown, parsed.error.message);
  const { value } = parsed;
  if (!isJsonObject(value)) return brokenSettings(file.shown, "is no settings file: expected an object");
  const lineOf = lines(text.value);
  return ok({
    ...file,
    value,
    note: (path, note) => ({ file: file.shown, line: lineOf(path), note }),
    refuse: (path, why) => brokenSettings(`${file.shown}:${lineOf(path)}`, `${path.replace(/^\$\.?/, "")} ${why}`),
  });
}

/** Lines are only looked for where something is said about one. */
function lines(text: string): (path: string) => number {
  let located: ReturnType<typeof locateYaml> | undefined;
  return (path) => {
    located ??= locateYaml(text);
    return located.ok ? located.value.lineOf(path) : 1;
  };
}

/** A style without a file: Claude Code's own have none. */
async function noteOfStyle(
  documents: readonly SettingsDocument[],
  place: SettingsPlace,
): Promise<Result<readonly SettingsNote[]>> {
  const at = "$.outputStyle";
  for (const { value, refuse } of documents)
    if (value["outputStyle"] !== undefined && typeof value["outputStyle"] !== "string")
      return refuse(at, `is ${typeOf(value["outputStyle"])}, expected a name`);
  const chosen = documents.find(({ value }) => value["outputStyle"] !== undefined);
  const name = chosen?.value["outputStyle"];
  if (!chosen || typeof name !== "string" || name === "" || name.toLowerCase() === "default") return ok([]);
  const found = await findOutputStyle(place);
  return ok(
    found ? [] : [chosen.note(at, `the style ${JSON.stringify(name)} has no file here, so nothing is said of it`)],
  );
}

/** Each setting that does not count here, with the reason; one that is not documented may be a misspelt one that does. */
function leftOut({ value, note }: SettingsDocument): readonly SettingsNote[] {
  return Object.keys(value).flatMap((key) => {
    const why = documentedSettings.get(key);
    if (why === null) return [];
    if (why !== undefined) return [note(`$.${key}`, `${key} is not taken: ${why}`)];
    const near = suggest(key, [...documentedSettings.keys()]);
    return [
      note(`$.${key}`, `${key} is no setting that is known here${near === undefined ? "" : `; did you mean ${near}?`}`),
    ];
  });
}
