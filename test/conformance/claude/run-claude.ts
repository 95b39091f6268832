import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { Row } from "./decisions.ts";
import { ownHooks } from "./own-hooks.ts";
import { ownPermissions, runPermissionCase } from "./own-permissions.ts";
import { type HookCase, runHookCase } from "./run-hooks.ts";
import { type Usable, usableSettings, usableSkills, usableSubagents } from "./usable-files.ts";
import { usableInRuns } from "./whole-runs.ts";

interface Source {
  readonly repository: string;
  readonly commit: string;
  readonly folder: string;
}
interface CorpusList {
  readonly hooks: readonly (Source & Pick<HookCase, "hooks">)[];
  readonly skills: readonly Source[];
  readonly agents: readonly Source[];
  readonly commands: readonly Source[];
  readonly settings: readonly Source[];
}

/**
 * Decisions of Claude Code beside Writ's: over the corpus of the repository, and with `--from FOLDER` over public ones, which
 * whoever runs it has cloned there as `owner+name`. Looser anywhere is a failure.
 */
export async function claudeConformance(options: readonly string[]): Promise<boolean> {
  const from = valueOf(options, "--from");
  const list = resolve(valueOf(options, "--list") ?? join(import.meta.dirname, "corpus-list.json"));
  const rows: Row[] = [];
  for (const each of ownPermissions) rows.push(await runPermissionCase(each));
  for (const each of ownHooks) rows.push(...(await runHookCase(each)));
  const usable: Usable[] = [];
  if (from !== undefined) {
    const scratch = mkdtempSync(join(tmpdir(), "writ-corpus-"));
    try {
      await runPublic({ list: JSON.parse(readFileSync(list, "utf8")) as CorpusList, from, scratch }, rows, usable);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  print(rows, usable);
  const record = valueOf(options, "--record");
  if (record !== undefined) writeFileSync(record, `${JSON.stringify(summaryOf(rows, usable), null, 2)}\n`);
  return rows.every(({ score }) => score !== "looser");
}

interface PublicRun {
  readonly list: CorpusList;
  readonly from: string;
  readonly scratch: string;
}

async function runPublic(run: PublicRun, rows: Row[], usable: Usable[]): Promise<void> {
  const { list } = run;
  for (const source of list.hooks) {
    const folder = unpacked(source, run);
    if (!folder) continue;
    const name = `${source.repository} ${source.folder}`;
    const unpack = (root: string) => cpSync(folder, join(root, "hooks"), { recursive: true });
    rows.push(...(await runHookCase({ name, unpack, hooks: source.hooks })));
  }
  for (const source of list.skills) {
    const folder = unpacked(source, run);
    if (!folder) continue;
    usable.push(await usableSkills(`${source.repository} ${source.folder}`, folder));
    usable.push(await usableInRuns(`${source.repository} ${source.folder}`, folder));
  }
  for (const source of list.commands) {
    const folder = unpacked(source, run);
    for (const below of folder ? foldersNamed(folder, "commands") : [])
      usable.push(
        await usableSkills(
          `${source.repository} ${below.slice((folder ?? "").length + 1) || source.folder}`,
          below,
          true,
        ),
      );
  }
  for (const source of list.agents) {
    const folder = unpacked(source, run);
    if (!folder) continue;
    const root = mkdtempSync(join(run.scratch, "agents-"));
    mkdirSync(join(root, ".claude/agents"), { recursive: true });
    for (const below of foldersNamed(folder, "agents"))
      for (const name of readdirSync(below, { recursive: true, encoding: "utf8" }))
        if (name.endsWith(".md"))
          cpSync(join(below, name), join(root, ".claude/agents", basename(name)), { force: false });
    usable.push(await usableSubagents(`${source.repository} ${source.folder}`, root));
  }
  for (const source of list.settings) {
    const folder = unpacked(source, run);
    for (const name of folder ? readdirSync(folder).filter((each) => /^settings.*\.json$/.test(each)) : []) {
      const root = mkdtempSync(join(run.scratch, "settings-"));
      mkdirSync(join(root, ".claude"));
      cpSync(join(folder ?? "", name), join(root, ".claude/settings.json"));
      usable.push(await usableSettings(`${source.repository} ${source.folder}/${name}`, root));
    }
  }
}

/** The folder of a repository at its commit; undefined where nobody brought it. */
function unpacked({ repository, commit, folder }: Source, { from, scratch }: PublicRun): string | undefined {
  const clone = join(from, repository.replace("/", "+"));
  const git = [join(clone, "repo"), clone].find(
    (each) => existsSync(join(each, "HEAD")) || existsSync(join(each, ".git")),
  );
  if (git === undefined) {
    console.error(`! ${repository} is not in ${from}: its cases are left out`);
    return undefined;
  }
  const at = mkdtempSync(join(scratch, "tree-"));
  // Of the folder's own tree: a stored copy of a repository may lack large files elsewhere.
  const archive = execFileSync(
    "git",
    ["-C", git, "archive", "--format=tar", `--prefix=${folder}/`, `${commit}:${folder}`],
    { maxBuffer: 512 * 2 ** 20 },
  );
  execFileSync("tar", ["-x", "-C", at], { input: archive });
  return join(at, folder);
}

/** The folder itself where it has that name, else those of that name below it. */
function foldersNamed(folder: string, name: string): readonly string[] {
  if (basename(folder) === name) return [folder];
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (each) => each.isDirectory() && each.name === name,
  );
  return found.map((each) => join(each.parentPath, each.name));
}

function summaryOf(rows: readonly Row[], usable: readonly Usable[]) {
  const names = [...new Set(rows.map(({ of }) => (of.startsWith("{") ? "rules of permissions" : of)))];
  const scores = names.map((name) => {
    const own = rows.filter(({ of }) => of === name || (name === "rules of permissions" && of.startsWith("{")));
    const count = (score: Row["score"]) => own.filter((each) => each.score === score).length;
    const decided = (outcome: Row["documented"]) => own.filter((each) => each.documented === outcome).length;
    return {
      of: name,
      cases: own.length,
      denies: decided("deny"),
      asks: decided("ask"),
      rewrites: decided("rewrite"),
      same: count("same"),
      stricter: count("stricter"),
      looser: count("looser"),
    };
  });
  return { scores, usable: usable.map(({ kind, of, all, usable: taken }) => ({ kind, of, all, usable: taken })) };
}

function print(rows: readonly Row[], usable: readonly Usable[]): void {
  const { scores } = summaryOf(rows, usable);
  console.log(`${"program or rules".padEnd(64)} cases  deny   ask  rewr  same stricter looser`);
  for (const { of, cases, denies, asks, rewrites, same, stricter, looser } of scores)
    console.log(
      `${looser > 0 ? "!" : " "} ${of.slice(0, 61).padEnd(62)} ${[cases, denies, asks, rewrites, same].map((n) => String(n).padStart(5)).join(" ")} ${String(stricter).padStart(8)} ${String(looser).padStart(6)}`,
    );
  for (const { of, about, documented, found, score, reason } of rows.filter((each) => each.score !== "same"))
    console.log(
      `  ${score.padEnd(8)} ${of.slice(0, 60)}: ${about.replaceAll("\n", "⏎").slice(0, 60)}: ${documented} there, ${found} here: ${reason.slice(0, 140)}`,
    );
  for (const { kind, of, all, usable: taken, left } of usable) {
    console.log(`${taken < all ? "!" : " "} ${kind.padEnd(10)} ${of.padEnd(60)} ${taken} of ${all}`);
    for (const why of left.slice(0, 20)) console.log(`    ${why.slice(0, 180)}`);
  }
}

function valueOf(options: readonly string[], name: string): string | undefined {
  const at = options.indexOf(name);
  return at < 0 ? undefined : options[at + 1];
}
