import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result, type Sha256, sha256 } from "#core/values";
import { workspacePath } from "#governance";
import { compileGlob, type Mandate } from "#governance/mandate";
import type { StageContext } from "../pipeline/stage.ts";

export interface ReadFile {
  readonly path: string;
  readonly text: string;
  readonly hash: Sha256;
}

/** A file that is there and that the order may not read: the stage goes on without it. */
export interface Withheld {
  /** The clauses that decided, in words. */
  readonly withheld: string;
}

type Reading = Pick<StageContext, "sources" | "request" | "files">;

/**
 * A file of the workspace as text: inside it, not where secrets or ledgers are, no link on the way. `undefined` when it is
 * not there. What is refused is a value that says why.
 */
export async function readableFile(
  { sources, request, files: filesRead }: Reading,
  text: string,
  maxBytes: number,
): Promise<Result<ReadFile | Withheld | undefined>> {
  const { files, root, whyUnreadable } = sources;
  const path = workspacePath(text);
  if (!path.ok) return path;
  const why = whyUnreadable(path.value);
  if (why !== undefined) return err(refused(path.value, why));
  const parts = path.value.split("/");
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = parts.slice(0, depth).join("/");
    const stat = await files.stat(`${root}/${part}`);
    if (!stat.ok) return stat;
    if (!stat.value) return ok(undefined);
    const wanted = depth === parts.length ? "file" : "folder";
    if (stat.value.type !== wanted) return err(refused(path.value, `${part} is a ${stat.value.type}`));
    if (depth === parts.length && stat.value.size > maxBytes)
      return err(refused(path.value, `it is larger than ${maxBytes} bytes`, "MALFORMED_INPUT"));
  }
  const withheld = whyWithheld(request.mandate, path.value);
  if (withheld !== undefined) return ok({ withheld });
  // The hash is that of the file, so its byte order mark counts; the text is read without it.
  const read = await files.readText(`${root}/${path.value}`, { maxBytes, keepBom: true });
  if (!read.ok) return read.error.code === "NOT_FOUND" ? ok(undefined) : read;
  const hash = sha256(read.value);
  filesRead.add(path.value, hash);
  return ok({ path: path.value, text: withoutBom(read.value), hash });
}

export function whyWithheld(mandate: Mandate, path: string): string | undefined {
  const decision = mandate.decide({ kind: "read", path });
  return decision.allowed ? undefined : `${JSON.stringify(path)} is not read as context: ${decision.reason}`;
}

function withoutBom(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function refused(
  path: string,
  why: string,
  code: "CAPABILITY_VIOLATION" | "MALFORMED_INPUT" = "CAPABILITY_VIOLATION",
): DomainError {
  return domainError(code, `${JSON.stringify(path)} is not read as context: ${why}`, { details: { path } });
}

const skipped = new Set([".git", "node_modules", "planes"]);

/** Files that a glob names; `warnings` say what was left out. */
export interface Matching {
  readonly paths: readonly string[];
  readonly truncated: boolean;
  readonly warnings: readonly string[];
}

/**
 * Files of the workspace that match a glob and that the order may read, in order of name. Links are not followed, and secret
 * places and folders of which the order may read nothing are not entered.
 */
export async function matchingFiles(
  { sources: { files, root, reading, whyUnreadable }, request: { mandate } }: Reading,
  glob: string,
  signal: AbortSignal,
): Promise<Result<Matching>> {
  const path = workspacePath(glob);
  const pattern = path.ok ? compileGlob(path.value) : path;
  if (!pattern.ok) return pattern;
  const fixed = pattern.value.source.split("/");
  const start = fixed
    .slice(
      0,
      Math.max(
        0,
        fixed.findIndex((part) => /[*?[\]{}()!+@]/.test(part)),
      ),
    )
    .join("/");
  const paths: string[] = [];
  const folders = [start];
  let seen = 0;
  let withheld = false;
  const found = (truncated: boolean): Result<Matching> =>
    ok({
      paths: paths.toSorted(),
      truncated,
      warnings: withheld ? [`${glob}: files that the order may not read were left out`] : [],
    });
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const listed = await files.list(folder === "" ? root : `${root}/${folder}`);
    if (!listed.ok) return listed;
    for (const { name, type } of listed.value) {
      seen += 1;
      if (seen > reading.seenFiles || signal.aborted) return found(true);
      const path = folder === "" ? name : `${folder}/${name}`;
      if (whyUnreadable(path) !== undefined) continue;
      if (type === "folder" && !skipped.has(name) && pattern.value.mayMatchBelow(path)) {
        if (mandate.readsBelow(path) === "none") withheld = true;
        else folders.push(path);
      }
      if (type === "file" && pattern.value.matches(path.normalize("NFC"))) {
        if (mandate.decide({ kind: "read", path }).allowed) paths.push(path);
        else withheld = true;
      }
    }
  }
  return found(false);
}

export function isGlob(path: string): boolean {
  return /[*?[\]{}]/.test(path);
}
