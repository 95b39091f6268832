import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncFolderNow } from "#core/machine";
import { canonicalJson, type Random } from "#core/values";
import { type Succession, successionFile } from "#proof";

/** The two parts of a key: their files, or what is in them. */
export interface KeyPair {
  readonly private: string;
  readonly public: string;
}

/**
 * Replaces a key pair by the next one. Order on disk: the succession that the old key signed, the private key, the public key.
 * The caller holds the lock under which keys change, so temporary files of another attempt belong to a dead process. Each attempt
 * uses its own file names all the same: a process that stalls can lose a lock that lies in a database.
 */
export function replaceKeyPair(files: KeyPair, texts: KeyPair, succession: Succession, random: Random): void {
  clearAside(files);
  const attempt = Buffer.from(random.bytes(6)).toString("hex");
  const aside = { private: `${files.private}.${attempt}.next`, public: `${files.public}.${attempt}.next` };
  try {
    write(aside.private, texts.private, 0o600);
    write(aside.public, texts.public, 0o644);
    addLine(successionFile(files.public), canonicalJson(succession));
    renameSync(aside.private, files.private);
    renameSync(aside.public, files.public);
    syncFolderNow(dirname(files.private));
  } finally {
    for (const left of Object.values(aside)) rmSync(left, { force: true });
  }
}

/** Removes private keys that dead attempts left behind: no process will ever put them in place. */
function clearAside(files: KeyPair): void {
  for (const file of Object.values(files))
    for (const name of readdirSync(dirname(file)))
      if (name.startsWith(`${basename(file)}.`) && name.endsWith(".next"))
        rmSync(join(dirname(file), name), { force: true });
}

function write(file: string, text: string, mode: number): void {
  const fd = openSync(file, "wx", mode);
  try {
    writeFileSync(fd, text); // all of it, unlike writeSync
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Whole or not at all: half a line would end the chain, and no succession before it would be believed. */
function addLine(file: string, line: string): void {
  const fd = openSync(file, "a+", 0o644);
  try {
    const whole = readFileSync(fd).lastIndexOf("\n") + 1; // what follows was torn, and never came into force
    ftruncateSync(fd, whole);
    try {
      writeFileSync(fd, `${line}\n`);
    } catch (thrown) {
      ftruncateSync(fd, whole);
      throw thrown;
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
