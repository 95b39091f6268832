import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { domainError, messageOf } from "#core/errors";
import { closureOf, type ProgramClosure, syncFolderNow } from "#core/machine";
import { canonicalJson, err, ok, type Random, type Result, sha256 } from "#core/values";
import type { Visibility } from "../sandbox/hide-unseen.ts";
import type { Snapshots } from "./snapshots.ts";

/** What lies beside the SKILL.md of a skill, as it was when a session started the skill. */
interface KeptSkill {
  /** Of the skill, from the workspace. */
  readonly folder: string;
  readonly files: ProgramClosure["files"];
  readonly links: ProgramClosure["links"];
}

/**
 * The skills that sessions have started: what a turn runs of them is what lay there at that moment, whatever is pulled or edited
 * while the session runs, also after a resume.
 *
 *     planes/hot/programs/skills/<session>/<hash of the folder>     the files by hash; their bytes lie beside those of programs
 */
export interface SkillSnapshots {
  /** Keeps the folder of a skill for a session. The first time counts. */
  keep(session_id: string, source: string): Result<void>;
  /** The skills of a session as a tree; undefined where it started none that has files. */
  layer(session_id: string, visible: Visibility, home: string): Result<SkillLayer | undefined>;
}

export interface SkillLayer {
  readonly tree: string;
  /** The same visibility without the folders of these skills: the tree shows what of them is visible. */
  readonly visibility: Visibility;
}

export function openSkillSnapshots(root: string, random: Random, snapshots: Snapshots): SkillSnapshots {
  const folderOf = (session_id: string) => join(root, "planes", "hot", "programs", "skills", session_id);
  return {
    keep(session_id, source) {
      // One that Writ ships has nothing beside it, and a command is a file alone.
      if (basename(source) !== "SKILL.md" || !existsSync(join(root, source))) return ok(undefined);
      const folder = dirname(source);
      const place = folderOf(session_id);
      const record = join(place, sha256(folder));
      try {
        if (existsSync(record)) return ok(undefined);
        const found = closureOf({ root, where: folder, words: [], rights: { code: [folder] }, keep: snapshots.keep });
        if (!found.ok) return found;
        const isOwn = ({ path }: { readonly path: string }) => path.startsWith(`${folder}/`);
        const kept: KeptSkill = {
          folder,
          files: found.value.files.filter(isOwn),
          links: found.value.links.filter(isOwn),
        };
        if (kept.files.length < 2 && kept.links.length === 0) return ok(undefined);
        mkdirSync(place, { recursive: true, mode: 0o700 });
        const fresh = `${record}.${Buffer.from(random.bytes(8)).toString("hex")}`;
        writeFileSync(fresh, JSON.stringify(kept), { mode: 0o600, flush: true });
        renameSync(fresh, record);
        syncFolderNow(place);
        return ok(undefined);
      } catch (thrown) {
        return err(
          domainError("STORE_UNAVAILABLE", `the files of the skill ${folder} cannot be kept: ${messageOf(thrown)}`, {
            details: { where: folder },
            cause: thrown,
          }),
        );
      }
    },
    layer(session_id, visible, home) {
      const place = folderOf(session_id);
      if (!existsSync(place)) return ok(undefined);
      const kept = readdirSync(place)
        .filter((name) => /^[0-9a-f]{64}$/.test(name))
        .map((name) => JSON.parse(readFileSync(join(place, name), "utf8")) as KeptSkill);
      if (kept.length === 0) return ok(undefined);
      const isVisible = ({ path }: { readonly path: string }) => visible.isVisible(path);
      const files = kept.flatMap((skill) => skill.files.filter(isVisible));
      const links = kept.flatMap((skill) => skill.links.filter(isVisible));
      const digest = sha256(canonicalJson({ files, links }));
      const tree = snapshots.tree({ digest, files, links, elsewhere: [], folders: [], sought: [] }, home);
      if (!tree.ok) return tree;
      const folders = kept.map(({ folder }) => folder);
      const isIn = (path: string) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
      const isAbove = (path: string) => folders.some((folder) => folder.startsWith(`${path}/`));
      return ok({
        tree: tree.value,
        visibility: {
          isVisible: (path) => !isIn(path) && visible.isVisible(path),
          visibilityBelow(folder) {
            if (isIn(folder)) return "none";
            const below = visible.visibilityBelow(folder);
            return below === "all" && isAbove(folder) ? "mixed" : below;
          },
        },
      });
    },
  };
}
