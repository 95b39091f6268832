import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import { cli as freshCli } from "./fresh-cli.ts";
import { workspaceWith } from "./workspace.ts";

export interface FrameworkWorkspace {
  readonly root: string;
  write(path: string, text: string): void;
  /** Changes keys of a YAML file of the workspace; undefined takes one away. */
  edit(path: string, changes: Readonly<Record<string, unknown>>): void;
  writ(...argv: readonly string[]): Promise<CommandSaid>;
  json<T>(...argv: readonly string[]): Promise<Said<T>>;
  adopt(): Promise<void>;
  /** What `writ flow run` does with an order under the framework, changed as told. */
  order<T = FlowDocument>(changes?: object): Promise<Said<T>>;
  /** The prompts that the model was sent, from the session's record. */
  events(session_id: string | null): Promise<readonly RecordedEvent[]>;
}

export interface Said<T> {
  readonly status: number;
  readonly json: T;
}

export interface FlowDocument {
  readonly status: string;
  readonly session_id: string | null;
  readonly response: string | null;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly tokens_used: object | null;
  readonly child_work_order_ids?: readonly string[];
}

export interface RecordedEvent {
  readonly type: string;
  readonly payload: Record<string, unknown>;
}

export const framework_id = "FMWK-INVOICE";
export const manifestFile = `frameworks/${framework_id}/manifest.yaml`;
export const contractFile = `frameworks/${framework_id}/prompt_contracts/PRC-INVOICE-001.yaml`;
export const templateFile = `frameworks/${framework_id}/attention_templates/ATT-INVOICE-001.yaml`;

export interface CommandSaid {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function cli(root: string, ...argv: readonly string[]): Promise<CommandSaid> {
  const { status, text, errors } = await freshCli(root, ...argv);
  return { status, stdout: text, stderr: errors };
}

async function cliJson<T>(root: string, ...argv: readonly string[]): Promise<Said<T>> {
  const { status, stdout, stderr } = await cli(root, ...argv, "--json");
  if (stdout === "") throw new Error(stderr);
  return { status, json: JSON.parse(stdout) as T };
}

/** A workspace with a framework that `writ framework new` wrote, driven by the command line alone. */
export async function frameworkWorkspace(
  options: { readonly rules?: readonly object[]; readonly config?: object } = {},
): Promise<FrameworkWorkspace> {
  const root = workspaceWith();
  const must = async (...argv: readonly string[]) => {
    const said = await cli(root, ...argv);
    if (said.status !== 0) throw new Error(`writ ${argv.join(" ")}: ${said.stderr}${said.stdout}`);
  };
  const write: FrameworkWorkspace["write"] = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  await must("init");
  write("script.yaml", stringify({ rules: options.rules ?? [{ respond: { text: "done" } }] }));
  write("writ.yaml", stringify({ version: 1, script: "script.yaml", ...options.config }));
  await must("framework", "new", framework_id, "--title", "Invoice desk");
  let numbers = 0;
  return {
    root,
    write,
    edit(path, changes) {
      const document = { ...(parse(readFileSync(join(root, path), "utf8")) as object), ...changes };
      write(path, stringify(Object.fromEntries(Object.entries(document).filter(([, value]) => value !== undefined))));
    },
    writ: (...argv) => cli(root, ...argv),
    json: (...argv) => cliJson(root, ...argv),
    adopt: () => must("pkg", "adopt"),
    async order(changes = {}) {
      numbers += 1;
      const order = {
        work_order_id: `WO-20261116-${String(1000 + numbers)}`,
        type: "answer",
        plane_id: "ho1",
        spec_id: "SPEC-INVOICE-001",
        framework_id,
        scope: { allowed_files: [] },
        acceptance: {},
        input: { prompt: "classify" },
        budget: { token_limit: 20_000, turn_limit: 5, timeout_seconds: 60 },
        ...changes,
      };
      write("order.yaml", stringify(order));
      return cliJson(root, "flow", "run", "order.yaml");
    },
    async events(session_id) {
      const { stdout } = await cli(root, "session", "events", session_id ?? "", "--json");
      return (JSON.parse(stdout) as { readonly events: readonly RecordedEvent[] }).events;
    },
  };
}
