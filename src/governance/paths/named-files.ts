import { compileGlob } from "./glob.ts";
import { comparablePath } from "./workspace-path.ts";

/** Files of a workspace that its own configuration names: as contracts, as code, or as the place of a secret. */
export interface NamedFiles {
  /** Why no caller may write a path, in words that end a sentence. */
  whyProtected(path: string): string | undefined;
  /** Why no caller may read it. */
  whyUnreadable(path: string): string | undefined;
  /** Why it is code that runs, beside the names that are so everywhere. */
  whyCode(path: string): string | undefined;
}

export const noNamedFiles: NamedFiles = {
  whyProtected: () => undefined,
  whyUnreadable: () => undefined,
  whyCode: () => undefined,
};

/** What `paths.code_that_runs` of writ.yaml names is code because of that, and what a criterion of an order starts. */
export const namedAsCode = "paths.code_that_runs of writ.yaml says so, or the order is judged by it";

export interface NamedFile {
  /** Relative to the workspace; a folder stands for everything in it. */
  readonly path: string;
  readonly why: string;
  readonly secret?: true;
}

/** Names and globs, for files that are protected or secret beside those that are so everywhere. */
export interface NamedPatterns {
  readonly patterns: readonly string[];
  readonly why: string;
  readonly secret?: true;
}

type Finder = (form: string, path: string) => string | undefined;

export function nameFiles(
  files: readonly NamedFile[],
  patterns: readonly NamedPatterns[] = [],
  code: readonly string[] = [],
): NamedFiles {
  const finder = (among: readonly NamedFile[], also: readonly NamedPatterns[]): Finder => {
    const named = among.map((file) => ({ ...file, form: comparablePath(file.path) }));
    const matched = also.map(({ patterns: each, why }) => ({ names: patternMatcher(each), why }));
    return (form, path) =>
      named.find((each) => form === each.form || form.startsWith(`${each.form}/`))?.why ??
      matched.find(({ names }) => names(path) || names(form))?.why;
  };
  const isSecret = ({ secret }: { readonly secret?: true }) => secret === true;
  const all = finder(files, patterns);
  const secrets = finder(files.filter(isSecret), patterns.filter(isSecret));
  const isCode = patternMatcher(code);
  return {
    whyProtected: (path) => all(comparablePath(path), path),
    whyUnreadable: (path) => secrets(comparablePath(path), path),
    whyCode: (path) => (isCode(path) ? namedAsCode : undefined),
  };
}

/** A pattern without a folder means the name in every folder. What lies in a folder that it names is meant too. */
export function patternMatcher(patterns: readonly string[]): (path: string) => boolean {
  const globs = patterns.map((pattern) => {
    const glob = compileGlob(pattern.includes("/") ? pattern : `**/${pattern}`, { ignoreCase: true });
    if (!glob.ok) throw new Error(glob.error.message); // the configuration's schema refuses such a pattern
    return glob.value;
  });
  return (path) => globs.some((glob) => glob.covers(path.normalize("NFC")));
}
