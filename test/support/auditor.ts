import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { SessionId } from "#core/values";
import { bareEnvironment } from "./bare-environment.ts";
import { built } from "./built.ts";
import { cli } from "./cli.ts";
import { writeGreeting } from "./greeting-session.ts";
import { SealedWorkspace } from "./sealed-workspace.ts";
import { type CommandResult, repository, writ } from "./writ.ts";

/** What `writ session verify --file --json` says. */
export interface Verdict {
  readonly ok: boolean;
  readonly session_id: string;
  readonly closed: boolean;
  readonly events: number;
  readonly head_hash: string;
  readonly violations: readonly { readonly kind: string; readonly at: number | null }[];
  readonly notes: readonly { readonly kind: string }[];
  readonly form: string;
  readonly proved: readonly string[];
  readonly not_proved: readonly string[];
}

export const kindsOf = ({ violations }: Pick<Verdict, "violations">): readonly string[] =>
  violations.map(({ kind }) => kind);
export const linesOf = (file: string): readonly string[] => readFileSync(file, "utf8").split("\n").slice(0, -1);

/** Somebody with an empty folder, and beside it what the owner of a workspace with two sessions handed over. */
export class Auditor implements AsyncDisposable {
  readonly owner: SealedWorkspace;
  readonly sessions: readonly [SessionId, SessionId];
  readonly #place: string;

  private constructor(owner: SealedWorkspace, place: string, sessions: readonly [SessionId, SessionId]) {
    this.owner = owner;
    this.#place = place;
    this.sessions = sessions;
  }

  /** early.json and kept.json, checkpoints; since.json and head.json, proofs; events.jsonl, export, bundle.html of the first, later.html and led.html of the second, the latter with the way from early.json. */
  static async create(): Promise<Auditor> {
    built();
    const owner = new SealedWorkspace(41);
    const place = mkdtempSync(join(tmpdir(), "writ-auditor-"));
    const at = (name: string) => join(place, name);
    const printed = async (name: string, ...argv: readonly string[]): Promise<void> =>
      writeFileSync(at(name), must(await cli(owner.root, ...argv)).stdout);
    mkdirSync(at("empty"));
    const one = (await writeGreeting(owner.log)).session_id;
    await owner.log.flush();
    await printed("early.json", "anchor", "checkpoint");
    const two = (await writeGreeting(owner.log, { name: "Grace" })).session_id;
    await owner.shut();
    await printed("kept.json", "anchor", "checkpoint");
    await printed("since.json", "anchor", "prove", "--since", at("early.json"));
    await printed("head.json", "anchor", "prove", one);
    await printed("events.jsonl", "session", "export", one, "--out", "-");
    must(await cli(owner.root, "session", "export", one, "--out", at("export")));
    // By the program that verifies them: the page carries a part of it.
    must(await writ(["session", "export", one, "--bundle", "--out", at("bundle.html")], { cwd: owner.root }));
    must(await writ(["session", "export", two, "--bundle", "--out", at("later.html")], { cwd: owner.root }));
    const led = ["session", "export", two, "--bundle", "--since", at("early.json"), "--out", at("led.html")];
    must(await writ(led, { cwd: owner.root }));
    cpSync(join(owner.root, "planes/hot/keys/signing.pub.pem"), at("owner.pem"));
    return new Auditor(owner, place, [one, two]);
  }

  get empty(): string {
    return this.at("empty");
  }

  at(name: string): string {
    return join(this.#place, name);
  }

  write(name: string, content: string | Uint8Array): string {
    writeFileSync(this.at(name), content);
    return this.at(name);
  }

  /** `writ session verify` as a process of its own, in the empty folder, with what is piped in. */
  async verify(
    argv: readonly string[],
    more: { readonly input?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>; readonly node?: readonly string[] } = {},
  ): Promise<CommandResult> {
    const program = [...(more.node ?? []), `${repository}bin/writ.js`, "session", "verify", ...argv];
    const child = spawn(process.execPath, program, { cwd: this.empty, env: bareEnvironment() });
    const said = { stdout: "", stderr: "" };
    child.stdout.on("data", (text: Buffer) => (said.stdout += text.toString()));
    child.stderr.on("data", (text: Buffer) => (said.stderr += text.toString()));
    child.stdin.on("error", () => undefined); // it had seen enough
    Readable.from(more.input ?? []).pipe(child.stdin);
    const [status] = (await once(child, "close")) as [number | null];
    return { status, ...said };
  }

  /** The same in this process, for many variants. */
  async judged(...argv: readonly string[]): Promise<Verdict & { readonly status: number | null }> {
    const { status, stdout, stderr } = await cli(this.empty, "session", "verify", ...argv, "--json");
    if (stdout === "") throw new Error(stderr);
    return { status, ...(JSON.parse(stdout) as Verdict) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.owner.remove();
    rmSync(this.#place, { recursive: true, force: true });
    return Promise.resolve();
  }
}

function must(result: CommandResult): CommandResult {
  if (result.status !== 0) throw new Error(result.stderr);
  return result;
}
