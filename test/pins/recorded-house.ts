// Workspaces that commit e3b8bd2e wrote, before the source was moved: one with files, one with PostgreSQL. They are never made again.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { type Clock, isSessionId, type SessionId, systemClock, systemRandom } from "#core/values";
import { openRuntime, runCli } from "#main";
import { type Runtime } from "../../src/main/parts.ts";
import { bareEnvironment } from "../support/bare-environment.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { repository } from "../support/writ.ts";

interface Recorded {
  /** When the last of it was written. */
  readonly at: number;
  /** Sessions and runs by what they are. */
  readonly names: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string | { readonly base64: string }>>;
  /** What pg_dump wrote, where the workspace lies in a database. */
  readonly database?: string;
}

interface Said {
  readonly status: number;
  readonly text: string;
  readonly errors: string;
}

export interface RecordedHouse {
  readonly root: string;
  readonly clock: Clock;
  /** A session or run, by what it is. */
  id(name: string): string;
  session(name: string): SessionId;
  /** Calls of tools that really happened since the house was opened. */
  readonly calls: readonly string[];
  forgetCalls(): void;
  cli(...argv: readonly string[]): Promise<Said>;
  inside<T>(look: (runtime: Runtime) => Promise<T>): Promise<T>;
  close(): void;
}

export async function openHouse(where: "files" | "postgres"): Promise<RecordedHouse> {
  const packed = readFileSync(`${repository}test/fixtures/first-house-${where}.json.gz`);
  const { at, names, files, database } = JSON.parse(gunzipSync(packed).toString("utf8")) as Recorded;
  const root = mkdtempSync(join(tmpdir(), "writ-first-house-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === "string" ? content : Buffer.from(content.base64, "base64"));
    if (path.endsWith("signing.pem")) chmodSync(join(root, path), 0o600);
  }
  if (database !== undefined) await restore(root, database);
  const opened = systemClock.now();
  // Questions expire after days, and a killed process is given up after minutes: for this house an hour has passed.
  const clock: Clock = { ...systemClock, now: () => at + 3_600_000 + systemClock.now() - opened };
  const calls: string[] = [];
  const id = (name: string) => {
    const found = names[name];
    if (found === undefined) throw new Error(`nothing in the recorded house is called ${name}`);
    return found;
  };
  const env = { ...bareEnvironment(), WRIT_TRUST: root };
  return {
    root,
    clock,
    id,
    calls,
    forgetCalls: () => void calls.splice(0),
    session(name) {
      const found = id(name);
      if (!isSessionId(found)) throw new Error(`${found} is no session`);
      return found;
    },
    async cli(...argv) {
      const said = { text: "", errors: "" };
      const into = (name: keyof typeof said) => ({
        write: (text: string) => void (said[name] += text),
        isTTY: false,
        columns: 100,
      });
      const { signal } = new AbortController();
      const status = await runCli(argv, {
        stdout: into("text"),
        stderr: into("errors"),
        env,
        cwd: root,
        clock,
        random: systemRandom,
        signal,
        version: "test",
      });
      return { status, ...said };
    },
    async inside(look) {
      const runtime = await openRuntime({ root, clock, random: systemRandom, env, version: "test" });
      if (!runtime.ok) throw new Error(runtime.error.message);
      try {
        registerPeers(runtime.value, calls);
        return await look(runtime.value);
      } finally {
        await runtime.value.close();
      }
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

async function restore(root: string, database: string): Promise<void> {
  const store = await freshDatabase();
  const client = new pg.Client({ connectionString: store });
  await client.connect();
  await client.query(database);
  await client.end();
  const config = join(root, "writ.yaml");
  writeFileSync(config, readFileSync(config, "utf8").replace(/^store: .*$/m, `store: ${store}`));
}

/** The tools that the recorded requests called: one may be repeated under its key, the other may not. */
function registerPeers(runtime: Runtime, calls: string[]): void {
  for (const [name, idempotent] of [
    ["peer.book", false],
    ["peer.put", true],
  ] as const) {
    const registered = runtime.tools.register({
      name,
      description: "Leaves a line.",
      schema_in: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
      schema_out: { type: "object", properties: { booked: { type: "string" } }, required: ["booked"] },
      annotations: { idempotent },
      origin: "test",
      invoke({ what }) {
        calls.push(`${name} ${String(what)}`);
        return Promise.resolve({ ok: true, value: { booked: String(what) } });
      },
    });
    if (!registered.ok) throw new Error(registered.error.message);
  }
}
