// kill -9 while an order acts by a signed link: its use stays taken, and the order itself goes on without a second one.
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli } from "../support/fresh-cli.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { endWriterLease } from "../support/postgres/writer-lease.ts";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const entry = join(import.meta.dirname, "../../bin/writ.js");

test.each([
  ["files", async (): Promise<{ store?: string }> => ({})],
  ["PostgreSQL", async () => ({ store: await freshDatabase() })],
])(
  "on %s",
  async (_, where) => {
    const config = await where();
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const laptop = publicKey.export({ type: "spki", format: "pem" }).toString();
    const callers = { "ada@corp": { roles: ["admin"], public_keys: { laptop } } };
    await using space = await testWorkspace({
      rules: [{ respond: { text: "late", delay_ms: 60_000 } }],
      config: { identity: { local_roles: ["viewer"], callers }, ...config },
    });
    const { root } = space;
    writeFileSync(join(root, "ada.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
    const first = workOrder({ schema_version: "v2", input: { prompt: "wait for it" } });
    writeFileSync(join(root, "first.json"), JSON.stringify(first));
    const rights = ["order.submit", "framework:FMWK-005", "class:RESIDENT"];
    const by = ["--from", "ada@corp", "--to", space.runtime.caller, "--key", "ada.pem", "--key-id", "laptop"];
    const range = ["--uses", "1", "--days", "1", "--usd", "0.5"];
    const granted = await cli(root, "flow", "grant", "first.json", ...by, ...range, "--grant", ...rights);
    expect(granted.status, granted.errors).toBe(0);
    writeFileSync(join(root, "granted.json"), granted.text);

    const child = spawn(process.execPath, [entry, "flow", "run", "granted.json", "--json"], { cwd: root });
    const ended = new Promise((resolve) => child.on("close", resolve));
    const sent = async () => {
      for await (const info of space.runtime.log.list()) {
        if (!info.ok) continue;
        const events = await space.events(info.value.session_id);
        if (events.some(({ type }) => type === "llm.request")) return info.value.session_id;
      }
      return undefined;
    };
    await expect.poll(sent, { timeout: 60_000, interval: 200 }).toBeDefined();
    const session = (await sent()) ?? "";
    child.kill("SIGKILL");
    await ended;
    if (config.store) await endWriterLease(config.store, child.pid);
    await space.write("script.yaml", JSON.stringify({ rules: [{ respond: { text: "Hello" } }] }));
    await space.reopen();

    const { authorization } = JSON.parse(granted.text) as { authorization: object };
    const second = workOrder({ schema_version: "v2", authorization });
    const refused = await space.runtime.runFlow({ work_order: second, caller_id: space.runtime.caller });
    expect(refused).toMatchObject({ status: "rejected", error: expect.stringContaining("was good once") });
    const resumed = await cli(root, "session", "resume", session, "--json");
    expect(resumed.status, resumed.errors).toBe(0);
  },
  200_000,
);
