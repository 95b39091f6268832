import type { SchemaRegistry } from "#core/contracts";
import { whileUnchanged } from "#core/machine";
import { type Clock, type Files, ok, type Result } from "#core/values";
import { parseSkill } from "./parse-skill.ts";
import type { Skill, SkillOrigin, SkillSet, SkippedSkill } from "./skill.ts";

export interface SkillRoot {
  readonly origin: SkillOrigin;
  /** Absolute. */
  readonly folder: string;
  /** How paths below it are shown: `skills`, `.agents/skills`, `writ:skills`. */
  readonly shownAs: string;
  /** Folders that lead to it and must not be links either. */
  readonly through?: readonly string[];
  /** Each Markdown file is one, named after itself; absent: each folder with a SKILL.md. */
  readonly isOfCommands?: true;
}

export interface SkillsOptions {
  readonly files: Files;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  /** The earlier root wins. */
  readonly roots: readonly SkillRoot[];
}

export interface Skills {
  /** What is on disk now. Only files that changed are read again. */
  discover(): Promise<Result<SkillSet>>;
}

const maxBytes = 256 * 1024;
const maxPerRoot = 512;
/** A file this young may change again without its time or size showing it, so it is read again. */
const settledMs = 2000;

type Parsed = { readonly skill: Skill } | { readonly skipped: SkippedSkill };
interface Remembered {
  readonly key: string;
  readonly parsed: Parsed;
}

/** The roots that a workspace has: its own, the one shared between agents, Claude Code's, and what Writ ships. */
export function skillRoots(root: string, shipped: string): readonly SkillRoot[] {
  return [
    { origin: "workspace", folder: `${root}/skills`, shownAs: "skills" },
    { origin: "agents", folder: `${root}/.agents/skills`, shownAs: ".agents/skills", through: [`${root}/.agents`] },
    { origin: "agents", folder: `${root}/.claude/skills`, shownAs: ".claude/skills", through: [`${root}/.claude`] },
    {
      origin: "agents",
      folder: `${root}/.claude/commands`,
      shownAs: ".claude/commands",
      through: [`${root}/.claude`],
      isOfCommands: true,
    },
    { origin: "shipped", folder: shipped, shownAs: "writ:skills" },
  ];
}

export function createSkills(options: SkillsOptions): Skills {
  let remembered = new Map<string, Remembered>();
  const kept = whileUnchanged<SkillSet>(options.files);
  const scan = async (looked: SkillsOptions): Promise<Result<SkillSet>> => {
    const next = new Map<string, Remembered>();
    const byName = new Map<string, Skill>();
    const skipped: SkippedSkill[] = [];
    const roots = [...looked.roots.slice(0, -1), ...(await pluginRoots(looked)), ...looked.roots.slice(-1)];
    for (const root of roots) {
      for (const parsed of await scanRoot(root, looked, remembered, next)) {
        if ("skipped" in parsed) skipped.push(parsed.skipped);
        else {
          const winner = byName.get(parsed.skill.id);
          if (winner) skipped.push(duplicate(parsed.skill, winner));
          else byName.set(parsed.skill.id, parsed.skill);
        }
      }
    }
    remembered = next;
    return ok({ skills: [...byName.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)), skipped });
  };
  return { discover: () => kept("", (files) => scan({ ...options, files })) };
}

/** The folders of plugins that lie in the workspace, behind its own and before what Writ ships. */
async function pluginRoots({ files, roots }: SkillsOptions): Promise<readonly SkillRoot[]> {
  const own = roots.find(({ shownAs }) => shownAs === ".claude/skills");
  const [claude = ""] = own?.through ?? [];
  if (claude === "") return [];
  const plugins = `${claude}/plugins`;
  for (const folder of [claude, plugins]) {
    const stat = await files.stat(folder);
    if (!stat.ok || stat.value?.type !== "folder") return [];
  }
  const listed = await files.list(plugins);
  const folders = listed.ok ? listed.value.filter(({ type }) => type === "folder") : [];
  return folders.flatMap(({ name }) => {
    const at = (folder: string) => ({
      origin: "agents" as const,
      folder: `${plugins}/${name}/${folder}`,
      shownAs: `.claude/plugins/${name}/${folder}`,
      through: [claude, plugins, `${plugins}/${name}`],
    });
    return [at("skills"), { ...at("commands"), isOfCommands: true as const }];
  });
}

async function scanRoot(
  root: SkillRoot,
  options: SkillsOptions,
  before: Map<string, Remembered>,
  next: Map<string, Remembered>,
): Promise<readonly Parsed[]> {
  const { files } = options;
  const skip = (path: string, cause: SkippedSkill["cause"], reason: string): Parsed => ({
    skipped: { path, origin: root.origin, cause, reason },
  });

  for (const folder of [...(root.through ?? []), root.folder]) {
    const stat = await files.stat(folder);
    if (!stat.ok) return [skip(root.shownAs, "unreadable", stat.error.message)];
    if (stat.value === undefined) return [];
    if (stat.value.type !== "folder")
      return [
        skip(
          root.shownAs,
          stat.value.type === "link" ? "link" : "unreadable",
          `it is a ${stat.value.type}, expected a folder: links are not followed`,
        ),
      ];
  }
  if (root.isOfCommands) return scanCommands(root, options);
  const listed = await files.list(root.folder);
  if (!listed.ok) return [skip(root.shownAs, "unreadable", listed.error.message)];
  const found: Parsed[] = [];
  let count = 0;
  for (const { name, type } of listed.value) {
    const shown = `${root.shownAs}/${name}`;
    if (type === "link")
      found.push(skip(shown, "link", "it is a link; links are not followed, since they may lead out of the workspace"));
    if (type !== "folder") continue;
    const path = `${root.folder}/${name}/SKILL.md`;
    const stat = await files.stat(path);
    if (!stat.ok) found.push(skip(`${shown}/SKILL.md`, "unreadable", stat.error.message));
    if (!stat.ok || stat.value === undefined) continue; // a folder without a SKILL.md is no skill
    count += 1;
    if (count > maxPerRoot) {
      found.push(
        skip(
          root.shownAs,
          "limit",
          `more than ${maxPerRoot} skills; those after ${JSON.stringify(name)} by name are not read`,
        ),
      );
      break;
    }
    if (stat.value.type !== "file") {
      const cause = stat.value.type === "link" ? "link" : "unreadable";
      found.push(
        skip(`${shown}/SKILL.md`, cause, `it is a ${stat.value.type}, expected a file: links are not followed`),
      );
      continue;
    }
    const key = `${stat.value.modifiedMs}/${stat.value.size}`;
    const known = before.get(path);
    const settled = options.clock.now() - stat.value.modifiedMs > settledMs;
    const parsed =
      known?.key === key
        ? known.parsed
        : await readSkill({ path, folder: name, shown: `${shown}/SKILL.md`, origin: root.origin }, options);
    if (settled) next.set(path, { key, parsed });
    found.push(parsed);
  }
  return found;
}

const mostLevels = 3;

/** Markdown files, also in folders: `review/tests.md` is the command `review-tests`. */
async function scanCommands(root: SkillRoot, options: SkillsOptions): Promise<readonly Parsed[]> {
  const found: Parsed[] = [];
  let level: readonly string[] = [""];
  for (let depth = 0; depth < mostLevels && level.length > 0; depth++) {
    const next: string[] = [];
    for (const below of level) {
      const listed = await options.files.list(`${root.folder}${below}`);
      if (!listed.ok) continue; // a folder that this user may not enter has no commands for them
      for (const { name, type } of listed.value) {
        if (type === "folder") next.push(`${below}/${name}`);
        if (type !== "file" || !name.endsWith(".md") || name.toLowerCase() === "readme.md") continue;
        if (found.length >= maxPerRoot) return found;
        const path = `${below}/${name}`;
        const folder = path.slice(1, -".md".length).replaceAll("/", "-");
        const file = { path: `${root.folder}${path}`, folder, shown: `${root.shownAs}${path}`, origin: root.origin };
        found.push(await readSkill({ ...file, isCommand: true }, options));
      }
    }
    level = next;
  }
  return found;
}

/** A SKILL.md: where it lies, and the path by which people know it. */
interface SkillFile {
  readonly path: string;
  readonly folder: string;
  readonly shown: string;
  readonly origin: SkillRoot["origin"];
  /** A Markdown file of its own, which may do without a head. */
  readonly isCommand?: true;
}

async function readSkill(
  { path, folder, shown, origin, isCommand }: SkillFile,
  { files, schemas }: SkillsOptions,
): Promise<Parsed> {
  const text = await files.readText(path, { maxBytes });
  const about = { path: shown, origin };
  if (!text.ok)
    return {
      skipped: {
        ...about,
        cause: "unreadable",
        reason: `it cannot be read as UTF-8 text of at most ${maxBytes} bytes`,
      },
    };
  const parsed = parseSkill(
    { folder, origin, path: shown, text: text.value, ...(isCommand ? { isCommand } : {}) },
    schemas,
  );
  if (parsed.ok) return { skill: parsed.value };
  const { line, reason } = parsed.error.details as { line?: number; reason?: string };
  return {
    skipped: {
      ...about,
      cause: "invalid",
      skill: folder,
      ...(line === undefined ? {} : { line }),
      reason: reason ?? parsed.error.message,
    },
  };
}

function duplicate(skill: Skill, winner: Skill): SkippedSkill {
  return {
    path: skill.path,
    origin: skill.origin,
    cause: "duplicate",
    skill: skill.id,
    reason: `${winner.path} has the same name and comes first`,
  };
}
