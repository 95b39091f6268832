import { type ChildProcess, spawn } from "node:child_process";
import { bareEnvironment } from "./bare-environment.ts";
import { repository } from "./writ.ts";

/** A server as a process of its own. */
export interface Served {
  readonly url: string;
  readonly child: ChildProcess;
  /** Ends it as told, and waits until it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export function served(args: readonly string[], cwd: string, { port = 0 } = {}): Promise<Served> {
  const child = spawn(process.execPath, [`${repository}bin/writ.js`, ...args, "--port", String(port), "--json"], {
    cwd,
    env: bareEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return new Promise((resolve, reject) => {
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    child.stdout.setEncoding("utf8").once("data", (text: string) => {
      const { url } = JSON.parse(text) as { url: string };
      resolve({
        url,
        child,
        async end(signal) {
          child.kill(signal);
          await gone;
        },
      });
    });
    void gone.then(() => reject(new Error(`the server ended: ${errors}`)));
  });
}
