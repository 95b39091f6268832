import { canonicalJson, type Sha256, sha256 } from "#core/values";

/** A file whose content was read, as it was then. */
interface FileRead {
  readonly path: string;
  readonly sha256: Sha256;
}

/** What an event says of the files that were read. */
export interface ReadEvidence {
  /** The first of them. */
  readonly reads: FileRead[];
  readonly reads_count: number;
  /** Over all of them, in the order of reading. */
  readonly reads_hash: Sha256;
}

/** An event lists this many files; a search may read thousands. */
const mostListed = 256;

/** Collects the files that one tool call, or one assembly of context, reads. */
export class FilesRead {
  readonly #files = new Map<string, FileRead>();

  /** The file, where there was only one. */
  only(): string | undefined {
    const [first, second] = new Set([...this.#files.values()].map(({ path }) => path));
    return second === undefined ? first : undefined;
  }

  add(path: string, hash: Sha256): void {
    this.#files.set(`${hash} ${path}`, { path, sha256: hash });
  }

  /** Nothing where no file was read. */
  evidence(): Partial<ReadEvidence> {
    const files = [...this.#files.values()];
    if (files.length === 0) return {};
    return {
      reads: files.slice(0, mostListed),
      reads_count: files.length,
      reads_hash: sha256(canonicalJson(files.map(({ path, sha256 }) => ({ path, sha256 })))),
    };
  }
}
