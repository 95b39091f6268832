import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { transform } from "esbuild";
import type { Writ } from "../warm-writ.ts";
import { repository } from "../writ.ts";
import { type Block, blocksOf, stepsOf } from "./blocks.ts";
import { Comparison } from "./compare.ts";
import { Shell } from "./shell.ts";

export interface Stage {
  readonly env?: Readonly<Record<string, string>>;
  /** What the guide writes for this machine's own: addresses, paths. */
  readonly names?: Readonly<Record<string, string>>;
  /** Ends what was started for it. */
  close?(): PromiseLike<void>;
}

/** Where a guide's reader sits, and whose name is on what is done there. */
const home = "/home/ada";
const reader = "ada@local";
const localCaller = `${userInfo().username}@local`;

/**
 * Does everything that a guide says, from its first line to its last, in an empty folder, and compares what is printed.
 * Answers what differs. With `write` what was printed is put into the guide instead.
 */
export async function runGuide(
  path: string,
  writ: Writ,
  { stage = {}, write = false }: { readonly stage?: Stage; readonly write?: boolean } = {},
): Promise<readonly string[]> {
  const file = join(repository, path);
  let guide = readFileSync(file, "utf8");
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "writ-guide-")));
  const shell = new Shell(writ, folder, stage.env);
  const comparison = new Comparison(guide);
  const names = Object.entries({ [home]: folder, ...stage.names });
  const toMachine = (text: string) => names.reduce((all, [shown, actual]) => all.replaceAll(shown, actual), text);
  const toGuide = (text: string) =>
    names.reduceRight((all, [shown, actual]) => all.replaceAll(actual, shown), text).replaceAll(localCaller, reader);
  const problems: string[] = [];
  let end = 0; // of the step that was done last, in the guide
  try {
    for (const block of blocksOf(guide)) {
      if (block.language !== "console") {
        put(block, shell.cwd, toMachine);
        const wrong = await check(block, shell, folder);
        if (wrong !== undefined) problems.push(`${path}:${block.line}: ${wrong}`);
        continue;
      }
      for (const { command, shown } of stepsOf(block.text)) {
        end = guide.indexOf(`$ ${command}\n${shown}`, end) + `$ ${command}\n${shown}`.length;
        const line = toMachine(comparison.translate(command));
        const isLast = command === stepsOf(block.text).at(-1)?.command;
        const wanted = isLast ? Number(block.attributes["exit"] ?? 0) : 0;
        const different = (text: string) => comparison.difference(shown, toGuide(text));
        const { status, printed } = line.endsWith(" &")
          ? await shell.start(line.slice(0, -2), (text) => shown === "" || different(text) === undefined)
          : await shell.run(line);
        const difference =
          status === wanted
            ? line.endsWith(" &")
              ? undefined
              : different(printed)
            : `it ended with ${status}, not with ${wanted}:\n${printed}`;
        if (difference === undefined) continue;
        if (write && status === wanted) {
          const adopted = comparison.adopt(shown, toGuide(printed));
          guide = guide.slice(0, end - shown.length) + adopted + guide.slice(end);
          end += adopted.length - shown.length;
        } else problems.push(`${path}:${block.line}: $ ${command}\n    ${difference}`);
      }
    }
  } finally {
    await shell.close();
    await stage.close?.();
    rmSync(folder, { recursive: true, force: true });
  }
  if (write) writeFileSync(file, guide);
  return problems;
}

/** Writes the file that a block names, or adds to it. */
function put(block: Block, folder: string, toMachine: (text: string) => string): void {
  const { file, add } = block.attributes;
  const name = file ?? add;
  if (name === undefined) return;
  const path = resolve(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  if (file === undefined) appendFileSync(path, `\n${toMachine(block.text)}`);
  else writeFileSync(path, toMachine(block.text));
}

/**
 * A piece of configuration or a document that no command of the guide reads: `check=config`, or `check=` and a contract;
 * `check=syntax` for a program in somebody else's framework, which is not here to run it.
 */
async function check(block: Block, shell: Shell, folder: string): Promise<string | undefined> {
  const contract = block.attributes["check"];
  if (contract === undefined) return undefined;
  if (contract === "syntax")
    return transform(block.text, { loader: "ts", logLevel: "silent" }).then(
      () => undefined,
      (thrown: Error) => thrown.message,
    );
  const place = join(folder, ".checked");
  mkdirSync(place, { recursive: true });
  const isConfig = contract === "config";
  const file = join(place, isConfig ? "writ.yaml" : "document.yaml");
  writeFileSync(file, block.text);
  const { status, printed } = await shell.run(
    isConfig ? `writ config show --root ${place}` : `writ schema validate ${contract} ${file}`,
  );
  return status === 0 ? undefined : printed;
}
