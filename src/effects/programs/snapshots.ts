import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { domainError, messageOf } from "#core/errors";
import {
  agentWrote,
  type ClosureFile,
  closureOf,
  type ProgramClosure,
  type ProgramSpec,
  removeTree,
} from "#core/machine";
import { canonicalJson, err, ok, type Random, type Result, sha256 } from "#core/values";

/**
 * Snapshots of what programs run, by content:
 *
 *     <workspace>/planes/hot/programs/<hash>[x]   the bytes of one file, once; x where it is executable
 *     <workspace>/planes/hot/programs/agreed/     the closures that were last admitted, by words and rights
 *     <home of the sandboxes>/code/<digest>/      one closure as a tree, for as long as the process lives
 *
 * No agent writes below planes, so what an agent writes into the workspace never gets into a snapshot that was taken before.
 */
export interface Snapshots {
  /** Keeps the bytes of one file. */
  keep(file: ClosureFile, bytes: Buffer): void;
  /** Keeps the bytes that a program's files have at this moment. */
  take(spec: ProgramSpec, words: readonly string[]): Result<ProgramClosure>;
  /** The closure as a tree of files that every id may read, in `home`. */
  tree(closure: ProgramClosure, home: string): Result<string>;
}

export function openSnapshots(root: string, random: Random, onNotice: ((line: string) => void) | undefined): Snapshots {
  const folder = join(root, "planes", "hot", "programs");
  const objectOf = ({ hash, executable }: ClosureFile) => join(folder, `${hash}${executable ? "x" : ""}`);
  const unique = () => Buffer.from(random.bytes(8)).toString("hex");
  const keep = (file: ClosureFile, bytes: Buffer) => {
    const object = objectOf(file);
    if (existsSync(object)) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fresh = `${object}.${unique()}`;
    writeFileSync(fresh, bytes, { mode: 0o600 });
    chmodSync(fresh, file.executable ? 0o555 : 0o444);
    renameSync(fresh, object);
  };
  /** What was last admitted under the same words and rights is kept, for the time when an agent has changed one of its files. */
  const agreed = (spec: ProgramSpec, words: readonly string[], now: ProgramClosure): Result<ProgramClosure> => {
    const record = join(folder, "agreed", sha256(canonicalJson({ words, rights: spec.rights })));
    const before = existsSync(record) ? (JSON.parse(readFileSync(record, "utf8")) as ProgramClosure) : undefined;
    if (before?.digest === now.digest) return ok(now);
    const isTheirs = agentWrote(root);
    const known = new Map(before?.files.map(({ path, hash }) => [path, hash]));
    const theirs = [
      ...now.files.filter(({ path, hash }) => isTheirs(path) && known.get(path) !== hash),
      ...(before?.files ?? []).filter(({ path }) => isTheirs(path) && now.files.every((each) => each.path !== path)),
    ].map(({ path }) => path);
    if (theirs.length > 0) {
      if (before === undefined) return err(writtenByAgent(spec.where, theirs));
      onNotice?.(
        `${spec.where} runs as it was agreed to: ${listed(theirs)} was written by an agent since. \`writ trust\` shows it and agrees to it`,
      );
      return ok(before);
    }
    mkdirSync(dirname(record), { recursive: true, mode: 0o700 });
    const fresh = `${record}.${unique()}`;
    writeFileSync(fresh, JSON.stringify(now), { mode: 0o600 });
    renameSync(fresh, record);
    return ok(now);
  };
  return {
    keep,
    take(spec, words) {
      try {
        const found = closureOf({ ...spec, words, root, keep });
        return found.ok ? agreed(spec, words, found.value) : found;
      } catch (thrown) {
        return err(
          domainError("STORE_UNAVAILABLE", `${spec.where}: its files cannot be kept: ${messageOf(thrown)}`, {
            details: { where: spec.where, folder },
            cause: thrown,
          }),
        );
      }
    },
    tree(closure, home) {
      const tree = join(home, "code", closure.digest);
      if (existsSync(tree)) return ok(tree);
      const fresh = `${tree}.${unique()}`;
      try {
        mkdirSync(fresh, { recursive: true, mode: 0o755 });
        for (const file of closure.files) {
          const object = objectOf(file);
          // Verified as it is put in place: what was damaged on disk is not run.
          if (sha256(readFileSync(object)) !== file.hash) throw new Error(`${object} is not what its name says`);
          mkdirSync(dirname(join(fresh, file.path)), { recursive: true, mode: 0o755 });
          linkOrCopy(object, join(fresh, file.path));
        }
        for (const { path, target } of closure.links) {
          mkdirSync(dirname(join(fresh, path)), { recursive: true, mode: 0o755 });
          symlinkSync(target, join(fresh, path));
        }
        renameSync(fresh, tree);
        return ok(tree);
      } catch (thrown) {
        removeTree(fresh);
        if (existsSync(tree)) return ok(tree); // another start of the same program was faster
        return err(
          domainError("STORE_UNAVAILABLE", `the snapshot of a program cannot be laid out: ${messageOf(thrown)}`, {
            details: { digest: closure.digest },
            cause: thrown,
          }),
        );
      }
    },
  };
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to, constants.COPYFILE_FICLONE); // another file system, or one without links
  }
}

export function listed(paths: readonly string[]): string {
  return paths.length > 3 ? `${paths.slice(0, 3).join(", ")} and ${paths.length - 3} more` : paths.join(", ");
}

function writtenByAgent(where: string, paths: readonly string[]) {
  return domainError(
    "WORKSPACE_NOT_TRUSTED",
    `${where} would run ${listed(paths)}, which an agent wrote and no person has agreed to`,
    {
      details: {
        where,
        paths: [...paths],
        hint: where.startsWith("modules[")
          ? "look at it, give it a line under `modules` in writ.yaml, then `writ trust` agrees to it"
          : "look at it, then `writ trust` agrees to it",
      },
    },
  );
}
