import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { repository } from "../writ.ts";

export interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

/** The scenarios that a revision of MCP asks of a server, run against this one: scenario to checks. */
export function judgeServer(url: string, revision: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  return judge("server", ["--url", url, "--requirements", revision]);
}

/** The same for a client: the command is started for each scenario, with the address of the judge's server behind it. */
export function judgeClient(command: string, revision: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  return judge("client", ["--command", command, "--requirements", revision]);
}

async function judge(
  role: "server" | "client",
  asked: readonly string[],
): Promise<ReadonlyMap<string, readonly Check[]>> {
  const results = mkdtempSync(join(tmpdir(), "writ-conformance-"));
  try {
    const program = join(repository, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
    const shim = join(import.meta.dirname, "glob-sync.mjs");
    const said = await output(["--import", shim, program, role, ...asked, "-o", results]);
    const found = foldersOfChecks(results);
    if (found.length === 0) throw new Error(`the judge said nothing: ${said.slice(-2000)}`);
    return new Map(found.map((folder) => [scenarioOf(role, relative(results, folder)), checksIn(folder)]));
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

/** Scenarios whose names hold a slash have their folder in another one. */
function foldersOfChecks(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.name === "checks.json")
    .map((entry) => entry.parentPath);
}

/** It exits with 1 when anything fails, also what does not apply: what counts is in its files. */
function output(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (more: string) => (text += more));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(text));
  });
}

function checksIn(folder: string): readonly Check[] {
  return JSON.parse(readFileSync(join(folder, "checks.json"), "utf8")) as Check[];
}

/** `server-<scenario>-<time>` */
function scenarioOf(role: string, folder: string): string {
  const name = folder.replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, "");
  return name.startsWith(`${role}-`) ? name.slice(role.length + 1) : name;
}
