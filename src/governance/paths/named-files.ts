import { comparablePath } from "./workspace-path.ts";

/** Files of a workspace that its own configuration names: as contracts, as code, or as the place of a secret. */
export interface NamedFiles {
  /** Why no caller may write a path, in words that end a sentence. */
  whyProtected(path: string): string | undefined;
  /** Why no caller may read it. */
  whyUnreadable(path: string): string | undefined;
}

export const noNamedFiles: NamedFiles = { whyProtected: () => undefined, whyUnreadable: () => undefined };

export interface NamedFile {
  /** Relative to the workspace; a folder stands for everything in it. */
  readonly path: string;
  readonly why: string;
  readonly secret?: true;
}

export function nameFiles(files: readonly NamedFile[]): NamedFiles {
  const named = files.map((file) => ({ ...file, form: comparablePath(file.path) }));
  const find = (path: string, among: typeof named) => {
    if (among.length === 0) return undefined;
    const form = comparablePath(path);
    return among.find((each) => form === each.form || form.startsWith(`${each.form}/`))?.why;
  };
  const secrets = named.filter(({ secret }) => secret);
  return { whyProtected: (path) => find(path, named), whyUnreadable: (path) => find(path, secrets) };
}
