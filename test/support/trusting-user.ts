import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { systemClock, systemRandom } from "#core/values";
import { runCli } from "#main";

interface Said {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  /** How often a person was asked. */
  readonly asked: number;
}

/** Somebody with a folder of their own settings, at a terminal or not. */
export class User {
  readonly home: string = folder("home");

  async writ(
    cwd: string,
    argv: readonly string[],
    more: { answer?: string; env?: Record<string, string> } = {},
  ): Promise<Said> {
    const said = { out: "", err: "" };
    let asked = 0;
    const output = (name: keyof typeof said) => ({
      write: (text: string) => void (said[name] += text),
      isTTY: false,
      columns: 120,
    });
    const ask = () => {
      asked += 1;
      return Promise.resolve(more.answer ?? "");
    };
    const status = await runCli(argv, {
      stdout: output("out"),
      stderr: output("err"),
      env: { PATH: process.env["PATH"] ?? "", XDG_CONFIG_HOME: this.home, ...more.env },
      cwd,
      clock: systemClock,
      random: systemRandom,
      signal: new AbortController().signal,
      version: "test",
      ...(more.answer === undefined ? {} : { ask }),
    });
    return { status, ...said, asked };
  }

  /** A workspace that this user made. */
  async makes(config: object, files: Readonly<Record<string, string>> = {}): Promise<string> {
    const root = folder("own");
    expect((await this.writ(root, ["init"])).status).toBe(0);
    put(root, { "writ.yaml": stringify({ version: 1, ...config }), ...files });
    return root;
  }
}

export function folder(name: string): string {
  const made = mkdtempSync(join(tmpdir(), `writ-trust-${name}-`));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

export function put(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), content);
    chmodSync(join(root, path), 0o755);
  }
}

/** What git or an archive carries of a workspace, completed by the one who got it. */
export async function clone(of: string, user: User): Promise<string> {
  const root = folder("clone");
  cpSync(of, root, { recursive: true, filter: (path) => !path.startsWith(join(of, "planes")) });
  expect((await user.writ(root, ["init"])).status).toBe(0);
  return root;
}
