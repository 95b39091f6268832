import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";

/** Standard input, output and error of a dialogue as named pipes. Node's own pipes are sockets, which `/dev/stdin` cannot open. */
export interface Pipes {
  /** The paths that the sandbox's side is opened by: input for reading, output and error for writing. */
  readonly theirs: readonly string[];
  /** This process's ends, once the sandbox has its own. */
  connect(): readonly [stdin: Socket, stdout: Socket, stderr: Socket];
  close(): void;
}

const { O_RDONLY, O_WRONLY, O_RDWR, O_NONBLOCK } = constants;

export function makePipes(folder: string): Pipes {
  const theirs = ["in", "out", "err"].map((name) => join(folder, `pipe-${name}`));
  execFileSync("mkfifo", ["-m", "600", ...theirs], { env: { PATH: "/usr/bin:/bin" }, stdio: "ignore" });
  // Opening one side of a pipe waits for the other: these let both sides be opened without waiting.
  let held = theirs.map((path) => openSync(path, O_RDWR | O_NONBLOCK));
  const release = () => {
    for (const descriptor of held) closeSync(descriptor);
    held = [];
  };
  const ends: Socket[] = [];
  return {
    theirs,
    connect() {
      const [input = "", output = "", errors = ""] = theirs;
      const stdin = new Socket({ fd: openSync(input, O_WRONLY | O_NONBLOCK), readable: false, writable: true });
      const stdout = new Socket({ fd: openSync(output, O_RDONLY | O_NONBLOCK), readable: true, writable: false });
      const stderr = new Socket({ fd: openSync(errors, O_RDONLY | O_NONBLOCK), readable: true, writable: false });
      release();
      ends.push(stdin, stdout, stderr);
      return [stdin, stdout, stderr];
    },
    close() {
      release();
      for (const end of ends) end.destroy();
    },
  };
}
