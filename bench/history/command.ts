import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const launcher = fileURLToPath(new URL("../../bin/writ.js", import.meta.url));
const reporter = new URL("./report-usage.mjs", import.meta.url).href;
const usageFile = join(mkdtempSync(join(tmpdir(), "writ-usage-")), "usage.json");

/** What one run of the command line took. */
export interface Usage {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  /** Bytes on its standard output. */
  readonly printed: number;
}

/** Runs the command line in a workspace. Its output is read as fast as it comes, and counted. */
export async function command(root: string, args: readonly string[], mostMb?: number): Promise<Usage> {
  const heap = mostMb === undefined ? [] : [`--max-old-space-size=${mostMb}`];
  const started = performance.now();
  const child = spawn(process.execPath, [...heap, `--import=${reporter}`, launcher, "--root", root, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, WRIT_BENCH_USAGE: usageFile },
  });
  let printed = 0;
  let said = "";
  child.stdout.on("data", (bytes: Buffer) => void (printed += bytes.length));
  child.stderr.on("data", (bytes: Buffer) => void (said = `${said}${bytes.toString()}`.slice(-2_000)));
  const status = await new Promise((resolve) => void child.on("close", resolve));
  const wallMs = performance.now() - started;
  if (status !== 0) throw new Error(`writ ${args.join(" ")} ended with ${String(status)}: ${said}`);
  const usage = JSON.parse(readFileSync(usageFile, "utf8")) as { readonly cpuMs: number; readonly peakMb: number };
  return { wallMs, ...usage, printed };
}
