import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";

export interface ResolvedPath {
  /** Relative to the workspace with `/` between the parts; "" is the workspace itself. */
  readonly path: string;
  /** The given path ends with a slash: a whole folder is meant. */
  readonly folder: boolean;
}

const maxPathBytes = 4096;
const maxNameBytes = 255;
const maxLinks = 40;

/**
 * Resolves a path. Links are followed one by one as the kernel does, `..` applies after the link before it, and parts that
 * do not exist yet are kept as written. A path that leaves the workspace on its way is refused even if it comes back:
 * folders outside are not trusted.
 */
export function resolvePath(root: string, asked: string): Result<ResolvedPath> {
  const refuse = (why: string) =>
    err(domainError("CAPABILITY_VIOLATION", `the path ${JSON.stringify(asked)} ${why}`, { details: { path: asked } }));
  if (asked === "" || asked.includes("\0")) return refuse("is empty or holds a NUL");
  if (!asked.isWellFormed()) return refuse("is not well-formed Unicode");
  if (Buffer.byteLength(asked) > maxPathBytes) return refuse(`is longer than ${maxPathBytes} bytes`);
  const realRoot = realpathSync.native(root);
  let inside = asked;
  if (isAbsolute(asked)) {
    const under = [root, realRoot].find((each) => asked === each || asked.startsWith(`${each}/`));
    if (under === undefined) return refuse("lies outside the workspace");
    inside = relative(under, asked) + (asked.endsWith("/") ? "/" : "");
  }
  const todo = inside.split("/").reverse();
  const done: string[] = [];
  let links = 0;
  let missing = false;
  for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (done.pop() === undefined) return refuse("lies outside the workspace");
      missing = false;
      continue;
    }
    if (Buffer.byteLength(part) > maxNameBytes) return refuse(`holds a name longer than ${maxNameBytes} bytes`);
    const here = [realRoot, ...done, part].join("/");
    const stat = missing ? undefined : lstatSync(here, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) {
      links += 1;
      if (links > maxLinks) return refuse(`passes through more than ${maxLinks} links`);
      const target = linkAt(here);
      if (target === undefined) return refuse("was changed by somebody else while it was looked at");
      if (isAbsolute(target)) {
        if (target !== realRoot && !target.startsWith(`${realRoot}/`))
          return refuse("leaves the workspace through a link");
        done.length = 0;
        todo.push(...relative(realRoot, target).split("/").reverse());
      } else todo.push(...target.split("/").reverse());
      continue;
    }
    if (stat === undefined) missing = true;
    else if (!stat.isDirectory() && todo.some((rest) => rest !== "" && rest !== "."))
      return refuse("passes through a file");
    done.push(part);
  }
  return ok({ path: done.join("/"), folder: asked.endsWith("/") });
}

/** The target of a link; undefined when the link was removed since it was seen. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // gone, or no longer a link: the caller refuses the path
  }
}

/** The forms under which one path may hide: as written, composed, and compatibility-composed. */
export function unicodeForms(path: string): readonly string[] {
  return [...new Set([path, path.normalize("NFC"), path.normalize("NFKC")])];
}
