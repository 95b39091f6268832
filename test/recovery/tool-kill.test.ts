// Kill -9 in a tool call, then a tool that changed or a server that is gone, then resume: for each class of tool, Writ's own
// and of an MCP server. Each end verifies: the session has closed, or is open and goes on when what it began with is back.

import { cp, mkdtemp, readFile, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { Event } from "#log";
import { forgetMemory } from "#proof";
import { built } from "../support/built.ts";
import { runChild } from "../support/child.ts";
import { cli } from "../support/fresh-cli.ts";
import { type HostileServer, hostileServer } from "../support/mcp.ts";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const inputSchema = { type: "object", properties: { what: { type: "string" } } };
const tools = [
  { name: "look", description: "Looks", inputSchema, annotations: { readOnlyHint: true } },
  { name: "put", description: "Puts", inputSchema, annotations: { idempotentHint: true } },
  { name: "send", description: "Sends", inputSchema },
];
const changedTools = tools.map((tool) => ({ ...tool, description: `${tool.description} everything` }));

type Name = "desk.look" | "desk.put" | "desk.send" | "fs.read" | "fs.write" | "exec";
const args: Readonly<Record<Name, object>> = {
  "desk.look": { what: "a" },
  "desk.put": { what: "a" },
  "desk.send": { what: "a" },
  "fs.read": { path: "notes/a.md" },
  "fs.write": { path: "notes/b.md", content: "b\n", expected_hash: "", why: "asked" },
  exec: { command: ["/bin/sh", "-c", "echo x >> notes/c.md"] },
};
const isEffectful = (name: Name) => name === "desk.send" || name === "exec";
const isServed = (name: Name) => name.startsWith("desk.");
/** Each kind of order meets each kind of end; WRIT_CAMPAIGN=1 also tries every pair of tool and kind of order. */
const isCampaign = process.env["WRIT_CAMPAIGN"] === "1";

let server: HostileServer;
let folder: string;
/** The server's program: removed, the server is gone. */
let program: string;
beforeAll(async () => {
  built();
  server = hostileServer({ tools });
  folder = await mkdtemp(join(tmpdir(), "writ-tool-kill-"));
  program = join(folder, "server.mjs");
  await symlink(server.args[0] ?? "", program);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server[Symbol.asyncDispose]();
});

interface Ended {
  readonly status: number;
  readonly code: string | undefined;
  readonly said: string;
}

/** A workspace in which a process was killed. `back` returns it to that moment. */
class Killed {
  readonly root: string;
  readonly name: Name;
  readonly session: string;
  #before = 0;

  constructor(root: string, name: Name, session: string) {
    this.root = root;
    this.name = name;
    this.session = session;
  }

  /** One that was killed when an event of this type was recorded. */
  static async at(killAt: string, name: Name, type: string): Promise<Killed> {
    server.set({ tools });
    const { root, runtime } = await testWorkspace({
      files: { "notes/a.md": "a\n" },
      config: isServed(name)
        ? {
            mcp: {
              servers: {
                desk: { command: process.execPath, args: [program, ...server.args.slice(1)], rights: server.rights },
              },
            },
          }
        : {},
      rules: [
        { when: { call: 1 }, respond: { tool_calls: [{ name, args: args[name] }] } },
        { respond: { text: "done" } },
      ],
    });
    await runtime.close();
    if (isServed(name)) expect((await cli(root, "tool", "approve", "desk", "--yes")).status).toBe(0);
    const order = workOrder({
      type,
      scope: { allowed_files: ["notes/**"] },
      tool_permissions: [name],
      input: type === "answer" ? { prompt: "do it" } : { tool: name, args: args[name] },
      acceptance: { tests: ["true"] },
      budget: { token_limit: 20_000, turn_limit: 5, timeout_seconds: 60 },
    });
    const killed = await runChild("tool-child.mjs", { root, order, killAt });
    expect(killed.signal, killed.stderr + killed.stdout).toBe("SIGKILL");
    await cp(root, `${root}-killed`, { recursive: true });
    const listed = JSON.parse((await cli(root, "session", "list", "--json")).text) as
      | readonly { session_id: string; tier: string }[]
      | { sessions: readonly { session_id: string; tier: string }[] };
    const sessions = "sessions" in listed ? listed.sessions : listed;
    return new Killed(root, name, sessions.find(({ tier }) => tier === "ho1")?.session_id ?? "");
  }

  async back(): Promise<void> {
    server.set({ tools });
    await rm(this.root, { recursive: true, force: true });
    await cp(`${this.root}-killed`, this.root, { recursive: true });
    await forgetMemory({ root: this.root, env: process.env }); // the machine goes back with it
    this.#before = server.calls().length;
  }

  /** Calls that reached the server since. */
  get calls(): number {
    return server.calls().length - this.#before;
  }

  async resume(): Promise<Ended> {
    const { status, text, errors } = await cli(this.root, "session", "resume", this.session, "--json");
    const result = JSON.parse(text) as { error_code?: string; error?: string | { code: string; message: string } };
    const { error } = result;
    const code = typeof error === "object" && error !== null ? error.code : result.error_code;
    return { status, code: code ?? undefined, said: `${JSON.stringify(error)}${errors}` };
  }

  async resolve(...said: readonly string[]): Promise<void> {
    const invoke = (await this.events()).find(({ type }) => type === "tool.invoke");
    const call = (invoke?.payload as { call_id?: string } | undefined)?.call_id ?? "";
    expect((await cli(this.root, "session", "resolve", this.session, call, ...said)).status).toBe(0);
  }

  async events(): Promise<readonly Event[]> {
    const { text } = await cli(this.root, "session", "events", this.session, "--json");
    return (JSON.parse(text) as { readonly events: readonly Event[] }).events;
  }

  /** However it ended, it verifies; and each turn that landed is there from its start. */
  async expectVerified(isClosed: boolean): Promise<void> {
    const verified = await cli(this.root, "session", "verify", this.session, "--json");
    expect(JSON.parse(verified.text)).toMatchObject({ ok: true, violations: [] });
    const events = await this.events();
    expect(events.some(({ type }) => type === "session.close")).toBe(isClosed);
    const turns = (wanted: string) =>
      events.flatMap(({ type, payload }) => (type === wanted ? [(payload as { turn_id: string }).turn_id] : []));
    expect(turns("turn.started")).toEqual(expect.arrayContaining(turns("turn.committed")));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const root of [this.root, `${this.root}-killed`]) await rm(root, { recursive: true, force: true });
  }
}

/** What may become of a server's tools meanwhile, and how it is put right again. */
const changes: Readonly<Record<string, (killed: Killed) => Promise<() => Promise<unknown>>>> = {
  changed: async () => {
    server.set({ tools: changedTools });
    return async () => server.set({ tools });
  },
  gone: async () => {
    await unlink(program);
    return () => symlink(server.args[0] ?? "", program);
  },
  undeclared: async ({ root }) => {
    const file = join(root, "writ.yaml");
    const text = await readFile(file, "utf8");
    const { mcp: _, ...rest } = parse(text) as { mcp: object };
    // What a workspace starts is agreed to again when it was changed by hand.
    const write = async (said: string) => {
      await writeFile(file, said);
      expect((await cli(root, "trust", "--yes")).status).toBe(0);
    };
    await write(stringify(rest));
    return () => write(text);
  },
  withdrawn: async ({ root, name }) => {
    expect((await cli(root, "tool", "revoke", name)).status).toBe(0);
    return () => cli(root, "tool", "approve", "desk", "--yes");
  },
};

const served = (["desk.look", "desk.put", "desk.send"] as const).flatMap((name) =>
  ["answer", "tool-call"]
    .filter((type) => isCampaign || type === (name === "desk.put" ? "tool-call" : "answer"))
    .map((type) => [name, type] as const),
);

describe("killed in a call to a server", { timeout: 600_000 }, () => {
  test.each(served)("%s of an order of type %s", async (name, type) => {
    await using killed = await Killed.at("tool.invoke", name, type);

    await killed.back();
    const alone = await killed.resume();
    if (isEffectful(name)) expect(alone).toMatchObject({ status: 4, code: "EFFECT_IN_DOUBT" });
    else expect(alone, alone.said).toMatchObject({ status: 0 });
    await killed.expectVerified(!isEffectful(name));
    expect(killed.calls).toBe(isEffectful(name) ? 0 : 1);

    for (const [kind, change] of Object.entries(changes)) {
      if (type === "tool-call" && (kind === "undeclared" || kind === "withdrawn")) continue; // refused before the order's type matters
      await killed.back();
      const putRight = await change(killed);
      const ended = await killed.resume();
      if (kind === "undeclared" || kind === "withdrawn" || (kind === "changed" && !isEffectful(name))) {
        expect(ended, kind).toMatchObject({ status: 3, code: "LAW_CHANGED" });
        expect(ended.said).toContain(name);
        if (kind === "changed") expect(ended.said).toMatch(/description was .*s\\*", now it is .*s everything/);
        await killed.expectVerified(false);
        await putRight();
        const again = await killed.resume();
        expect(again.status, `${kind} ${again.said}`).toBe(isEffectful(name) ? 4 : 0);
        await killed.expectVerified(!isEffectful(name));
        expect(killed.calls).toBe(isEffectful(name) ? 0 : 1);
        continue;
      }
      if (isEffectful(name)) {
        expect(ended, kind).toMatchObject({ status: 4, code: "EFFECT_IN_DOUBT" });
        await killed.expectVerified(false);
      } else {
        // Gone: the model is shown why the call cannot be made again; an order for this one call has failed.
        expect(ended.status, ended.said).toBe(type === "answer" ? 0 : 1);
        await killed.expectVerified(true);
        const result = (await killed.events()).find((event) => event.type === "tool.result");
        expect(result?.payload).toMatchObject({ status: "canceled", error: { code: "INTERRUPTED" } });
      }
      expect(killed.calls).toBe(0);
      await putRight();
    }
  });

  test.each(["answer", "tool-call"])(
    "a call in doubt that a person resolves while its server is away (%s)",
    async (type) => {
      await using killed = await Killed.at("tool.invoke", "desk.send", type);
      for (const kind of ["changed", "gone"] as const) {
        for (const said of [["--done", "--result", '{"content": []}'], ["--not-done"]]) {
          await killed.back();
          const putRight = await changes[kind]?.(killed);
          await killed.resolve(...said);
          const ended = await killed.resume();
          const isRefused = kind === "changed" && said.length === 1;
          if (isRefused) {
            expect(ended).toMatchObject({ status: 3, code: "LAW_CHANGED" });
            await killed.expectVerified(false);
          } else {
            expect(ended.status, ended.said).toBe(said.length > 1 || type === "answer" ? 0 : 1);
            await killed.expectVerified(true);
          }
          expect(killed.calls).toBe(0);
          await putRight?.();
          if (!isRefused) continue;
          expect((await killed.resume()).status).toBe(0);
          await killed.expectVerified(true);
          expect(killed.calls).toBe(1);
        }
      }
    },
  );

  const types = isCampaign ? ["answer", "tool-call"] : ["answer"];
  test.each(types)("a call whose output is recorded is not made again (%s)", async (type) => {
    await using killed = await Killed.at("tool.output", "desk.send", type);
    for (const kind of ["changed", "gone"] as const) {
      await killed.back();
      const putRight = await changes[kind]?.(killed);
      expect((await killed.resume()).status).toBe(0);
      await killed.expectVerified(true);
      expect(killed.calls).toBe(0);
      await putRight?.();
    }
  });
});

describe("a resume that ends before it has come to the call", { timeout: 600_000 }, () => {
  test.each(["desk.look", "desk.send", "fs.write"] as const)("leaves the session open (%s)", async (name) => {
    await using killed = await Killed.at("tool.invoke", name, "answer");
    const file = join(killed.root, "writ.yaml");
    const text = await readFile(file, "utf8");
    await writeFile(file, stringify({ ...parse(text), identity: { local_roles: ["viewer"] } }));
    expect(await killed.resume()).toMatchObject({ status: 3, code: "NOT_AUTHORIZED" });
    await killed.expectVerified(false);
    await writeFile(file, text);
    // Rights that the workspace had given up are agreed to before they are had again.
    expect(await killed.resume()).toMatchObject({ status: 3, code: "WORKSPACE_NOT_TRUSTED" });
    expect((await cli(killed.root, "trust", "--yes")).status).toBe(0);
    expect((await killed.resume()).status).toBe(isEffectful(name) ? 4 : 0);
    await killed.expectVerified(!isEffectful(name));
  });
});

const own = [
  ["fs.read", "tool.invoke"],
  ["fs.write", "tool.invoke"],
  ["fs.write", "turn.started"],
  ["fs.write", "turn.committed"],
  ["exec", "tool.invoke"],
  ["exec", "turn.started"],
  ["exec", "turn.committed"],
  ["exec", "tool.output"],
] as const;
/** An order for one call differs where the call itself was cut off. */
const ownByType = own.flatMap(([name, at]) =>
  ["answer", "tool-call"]
    .filter((type) => isCampaign || type === "answer" || (at === "tool.invoke" && name !== "fs.read"))
    .map((type) => [name, at, type] as const),
);

describe("killed in a call to a tool of Writ", { timeout: 600_000 }, () => {
  test.each(ownByType)("%s at %s, of an order of type %s", async (name, at, type) => {
    await using killed = await Killed.at(at, name, type);
    const first = await killed.resume();
    const isInDoubt = name === "exec" && at !== "tool.output";
    if (isInDoubt) {
      expect(first).toMatchObject({ status: 4, code: "EFFECT_IN_DOUBT" });
      await killed.expectVerified(false);
      const result = { exit_code: 0, stdout: "", stderr: "", duration_ms: 1 };
      await killed.resolve(
        ...(at === "turn.committed" ? ["--done", "--result", JSON.stringify(result)] : ["--not-done"]),
      );
      const second = await killed.resume();
      expect(second.status, second.said).toBe(0);
    } else expect(first.status, first.said).toBe(0);
    await killed.expectVerified(true);
    if (name === "exec") expect(await readFile(join(killed.root, "notes/c.md"), "utf8")).toBe("x\n");
    if (name === "fs.write") expect(await readFile(join(killed.root, "notes/b.md"), "utf8")).toBe("b\n");
  });
});
