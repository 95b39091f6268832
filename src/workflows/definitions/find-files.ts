import type { FileEntry, Files, Result } from "#core/values";
import { ok } from "#core/values";
import type { Axis, Origin, SourceFile } from "./definition.ts";
import type { Problem } from "./problem.ts";

export interface WorkflowRoot {
  readonly origin: Origin;
  /** The folder that holds `workflows/`, absolute. */
  readonly folder: string;
}

const folders: readonly { readonly axis: Axis; readonly name: string }[] = [
  { axis: "cycle", name: "cycles" },
  { axis: "phase", name: "phases" },
  { axis: "policy", name: "policies" },
  { axis: "artifact", name: "artifacts" },
];

/** What lies in a root's `workflows/`, by the place alone. A file in a place that means nothing is a problem, not an oversight. */
export async function findFiles(
  { origin, folder }: WorkflowRoot,
  files: Files,
): Promise<Result<{ readonly sources: readonly SourceFile[]; readonly problems: readonly Problem[] }>> {
  const sources: SourceFile[] = [];
  const problems: Problem[] = [];
  const shown = origin === "shipped" ? "writ:workflows" : "workflows";
  const at = (path: string) => ({ path: `${folder}/workflows/${path}`, file: `${shown}/${path}` });
  for (const { axis, name } of folders) {
    const listed = await entriesOf(axis, `${folder}/workflows/${name}`, files);
    if (!listed.ok) return listed;
    for (const entry of listed.value) {
      const place = `${name}/${entry.name}`;
      const id = idOf(axis, entry.name);
      if (entry.type === "file" && id !== undefined) sources.push({ axis, origin, id, folder: null, ...at(place) });
      else problems.push(stray(at(place).file, axis, entry.type));
    }
  }
  const roles = await files.list(`${folder}/workflows/personas`);
  if (!roles.ok) return roles;
  for (const role of roles.value.filter(isOfWorkflows)) {
    if (role.type !== "folder") {
      problems.push(stray(at(`personas/${role.name}`).file, "persona", role.type));
      continue;
    }
    const listed = await files.list(`${folder}/workflows/personas/${role.name}`);
    if (!listed.ok) return listed;
    for (const entry of listed.value.filter(isOfWorkflows)) {
      const place = `personas/${role.name}/${entry.name}`;
      const id = idOf("persona", entry.name);
      if (entry.type === "file" && id !== undefined)
        sources.push({ axis: "persona", origin, id, folder: role.name, ...at(place) });
      else problems.push(stray(at(place).file, "persona", entry.type));
    }
  }
  return ok({ sources, problems });
}

/** What lies in the folder of an axis. Policies may lie one folder deeper, which is then part of their names. */
async function entriesOf(axis: Axis, folder: string, files: Files): Promise<Result<readonly FileEntry[]>> {
  const listed = await files.list(folder);
  if (!listed.ok) return listed;
  const entries = listed.value.filter(isOfWorkflows);
  if (axis !== "policy") return ok(entries);
  const all: FileEntry[] = [];
  for (const entry of entries) {
    const below = entry.type === "folder" ? await files.list(`${folder}/${entry.name}`) : undefined;
    if (below === undefined) all.push(entry);
    else if (!below.ok) return below;
    else
      all.push(...below.value.filter(isOfWorkflows).map((each) => ({ ...each, name: `${entry.name}/${each.name}` })));
  }
  return ok(all);
}

const mostLevels = 3;

/**
 * The Markdown files of `.claude/agents`, and of the plugins in `.claude/plugins`, which other tools call subagents. They become
 * personas, the workspace's own ones coming first.
 */
export async function findSubagents(root: string, files: Files): Promise<Result<readonly SourceFile[]>> {
  const found = await subagentsBelow(root, ".claude/agents", files);
  if (!found.ok) return found;
  const isThere = await isFolder(root, [".claude", ".claude/plugins"], files);
  if (!isThere.ok) return isThere;
  const plugins = isThere.value ? await files.list(`${root}/.claude/plugins`) : ok([]);
  if (!plugins.ok) return plugins;
  const all = [...found.value];
  for (const { name, type } of plugins.value) {
    const below = type === "folder" ? await subagentsBelow(root, `.claude/plugins/${name}/agents`, files) : ok([]);
    if (!below.ok) return below;
    all.push(...below.value);
  }
  return ok(all);
}

async function subagentsBelow(root: string, base: string, files: Files): Promise<Result<readonly SourceFile[]>> {
  const parts = base.split("/");
  const folders = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  const isThere = await isFolder(root, folders, files);
  if (!isThere.ok || !isThere.value) return isThere.ok ? ok([]) : isThere;
  const found: SourceFile[] = [];
  let level: readonly string[] = [base];
  for (let depth = 0; depth < mostLevels && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      const listed = await files.list(`${root}/${folder}`);
      if (!listed.ok) return listed;
      for (const { name, type } of listed.value) {
        if (type === "folder") next.push(`${folder}/${name}`);
        if (type !== "file" || !name.endsWith(".md") || name.toLowerCase() === "readme.md") continue;
        const file = `${folder}/${name}`;
        const id = name.slice(0, -".md".length);
        found.push({ axis: "persona", origin: "workspace", id, folder: null, path: `${root}/${file}`, file });
      }
    }
    level = next;
  }
  return ok(found);
}

/** Links are not followed: they may lead out of the workspace. */
async function isFolder(root: string, folders: readonly string[], files: Files): Promise<Result<boolean>> {
  for (const folder of folders) {
    const stat = await files.stat(`${root}/${folder}`);
    if (!stat.ok) return stat;
    if (stat.value?.type !== "folder") return ok(false);
  }
  return ok(true);
}

/** What people and git leave in any folder is no definition and no mistake. */
function isOfWorkflows({ name }: FileEntry): boolean {
  return !name.startsWith(".") && name.toLowerCase() !== "readme.md";
}

function idOf(axis: Axis, name: string): string | undefined {
  const ending = axis === "artifact" ? "-template.md" : ".md";
  return name.endsWith(ending) ? name.slice(0, -ending.length) : undefined;
}

const places: Readonly<Record<Axis, string>> = {
  cycle: "cycles/<id>.md",
  phase: "phases/<id>.md",
  policy: "policies/<id>.md, or one folder deeper",
  persona: "personas/<role>/<id>.md",
  artifact: "artifacts/<id>-template.md",
};

function stray(file: string, axis: Axis, type: string): Problem {
  const what = type === "file" ? "a file that is no definition" : type === "link" ? "a link" : `a ${type}`;
  return {
    file,
    line: 1,
    rule: "stray-file",
    message: `${what} where only ${axis} definitions lie`,
    hint: type === "link" ? "links are not followed: put the file itself there" : `a ${axis} lies in ${places[axis]}`,
  };
}
