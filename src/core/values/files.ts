import type { Result } from "./result.ts";

/** The file operations that places without a disk of their own may use. Paths are absolute; failures are values. */
export interface Files {
  /** The text of a file; `NOT_FOUND` when there is none, `MALFORMED_INPUT` when it is not UTF-8 or above `maxBytes`. */
  readText(path: string, options?: ReadOptions): Promise<Result<string>>;
  /** Names in a folder, sorted; an absent folder is empty. */
  list(folder: string): Promise<Result<readonly FileEntry[]>>;
  stat(path: string): Promise<Result<FileStat | undefined>>;
  /** Absent where these files cannot tell whether they have changed. */
  readonly marks?: FileMarks;
}

export interface FileMarks {
  /** How the path is now: null where it never changes, undefined where the file system does not show it. */
  of(path: string): FileMark | null | undefined;
  /** Whether nothing has changed since. */
  holds(mark: FileMark): boolean;
}

/** What was found at a path. */
export interface FileMark {
  readonly at: string;
  readonly as: string;
}

export interface ReadOptions {
  readonly maxBytes?: number;
  /** The text begins with the file's byte order mark, where it has one: its bytes are those of the file. */
  readonly keepBom?: boolean;
}

export interface FileEntry {
  readonly name: string;
  readonly type: FileType;
}

export interface FileStat {
  readonly type: FileType;
  readonly size: number;
  readonly modifiedMs: number;
}

export type FileType = "file" | "folder" | "link" | "other";
