// A package that names hosts reaches these through the gate, and nothing by any other way.

import { spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect, createServer as createTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TurnResultV1 } from "#core/contracts";
import { systemClock } from "#core/values";
import { readHostRules } from "../../src/effects/sandbox/network-gate/host-rules.ts";
import { serveGate } from "../../src/effects/sandbox/network-gate/serve-gate.ts";
import { joined } from "../support/joined.ts";
import { type TurnWorkspace, turnWorkspace } from "../support/turn-workspace.ts";

const nobody = 65_534;
let server: string | undefined;
let workspace: TurnWorkspace;
let named: Server;
let contacts: string[] = [];
let other = 0;
const strangers = createTcp((socket) => {
  contacts.push("a stranger was reached");
  socket.destroy();
});
const portOf = (server: { address(): unknown }) => (server.address() as { port: number }).port;
const listen = (server: Server | typeof strangers) =>
  new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));

beforeAll(async () => {
  workspace = turnWorkspace();
  named = createServer((request, response) => {
    contacts.push(`${request.method} ${request.url} ${request.headers.host}`);
    if (request.url === "/away") response.writeHead(302, { location: `http://127.0.0.1:${other}/` }).end();
    else response.end("hello from outside");
  });
  await Promise.all([listen(named), listen(strangers)]);
  other = portOf(strangers);
});
afterAll(async () => {
  await workspace.close();
  named.close();
  strangers.close();
});

/** Says something to the gate from inside the sandbox and prints what comes back. */
const ask = (words: string) =>
  `const s = require("node:net").connect(3128, "127.0.0.1"); let got = ""; s.on("data", (d) => (got += d)); s.on("error", (e) => (got += e.code));
   s.on("close", () => console.log(got)); s.write(${JSON.stringify(words)});`;
const tunnel = (host: string) => ask(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);

async function run(script: string, hosts = [`127.0.0.1:${portOf(named)}`]): Promise<TurnResultV1> {
  contacts = [];
  return workspace.run({ command: ["node", "-e", script], capabilities: { read: ["**"], network: hosts } });
}
const said = (result: TurnResultV1) => {
  expect(result.error).toBeNull();
  return (result.result as { stdout: string }).stdout;
};

describe("through the gate", () => {
  test("a named host is reached by a tunnel, and the evidence tells how much went either way", async () => {
    const host = `127.0.0.1:${portOf(named)}`;
    const result = await run(
      `const s = require("node:net").connect(3128, "127.0.0.1"); let got = ""; let open = false;
       s.on("data", (d) => { got += d; if (!open) { open = true; s.write("GET /x HTTP/1.1\\r\\nHost: inner\\r\\nConnection: close\\r\\n\\r\\n"); } });
       s.on("close", () => console.log(got)); s.write("CONNECT ${host} HTTP/1.1\\r\\nHost: ${host}\\r\\n\\r\\n");`,
    );
    expect(said(result)).toContain("200 Connection Established");
    expect(said(result)).toContain("hello from outside");
    expect(contacts).toEqual(["GET /x inner"]);
    const [connection] = result.evidence.connections ?? [];
    expect(connection).toMatchObject({ host, allowed: true, address: "127.0.0.1" });
    expect(connection?.sent).toBeGreaterThan(30);
    expect(connection?.received).toBeGreaterThan(30);
    expect(result.evidence.isolation).toMatchObject({ layers: expect.arrayContaining(["network_gate"]) });
    const committed = workspace.recorder.events.findLast(({ type }) => type === "turn.committed");
    expect(committed?.payload).toMatchObject({ connections: [connection] });
  });

  test("a plain request goes to the host that was judged, whatever its Host header says; a redirect is not followed", async () => {
    const host = `127.0.0.1:${portOf(named)}`;
    const plain = await run(ask(`GET http://${host}/away HTTP/1.1\r\nHost: evil.org\r\nConnection: close\r\n\r\n`));
    expect(said(plain)).toContain("302 Found");
    expect(contacts).toEqual([`GET /away ${host}`]);
  });

  test("programs find it by their environment", async () => {
    const result = await workspace.run({
      sh: "echo $HTTPS_PROXY",
      capabilities: { read: ["**"], network: ["example.com"] },
    });
    expect(said(result)).toBe("http://127.0.0.1:3128\n");
    const none = await workspace.run({ sh: "echo $HTTPS_PROXY" });
    expect(said(none)).toBe("\n");
  });
});

describe("there is no other way", () => {
  const direct = (host: string, port: number) =>
    `const s = require("node:net").connect(${port}, "${host}"); s.setTimeout(2000, () => s.destroy(new Error("late"))); s.on("connect", () => console.log("reached")); s.on("error", (e) => console.log("refused", e.code ?? e.message));`;

  test("to the named host itself, directly", async () => {
    expect(said(await run(direct("127.0.0.1", portOf(named))))).toMatch(/^refused/);
    expect(contacts).toEqual([]);
  });

  test.each(["1.1.1.1", "169.254.169.254", "::1", "10.0.0.1"])("to %s, directly", async (address) => {
    expect(said(await run(direct(address, 80)))).toMatch(/^refused/);
  });

  test("by UDP, and to a name server", async () => {
    const script = `const s = require("node:dgram").createSocket("udp4"); s.on("error", (e) => console.log(e.code)); s.send("x", 53, "1.1.1.1", (e) => { console.log(e ? "refused" : "sent"); s.close(); });`;
    expect(said(await run(script))).toBe("refused\n");
    const name = `require("node:dns").resolve4("example.com", (e) => console.log(e ? "refused" : "resolved"))`;
    expect(said(await run(name))).toBe("refused\n");
  });

  test("by a Unix socket, by a port of its own", async () => {
    const unix = `const s = require("node:net").connect("/run/x"); s.on("error", (e) => console.log(e.code))`;
    expect(said(await run(unix))).toBe("EAFNOSUPPORT\n");
    const port = `const s = require("node:net").createServer().listen(8080, "127.0.0.1"); s.on("error", (e) => console.log(e.code)); s.on("listening", () => { console.log("listens"); s.close(); })`;
    expect(said(await run(port))).not.toBe("listens\n");
  });

  test.each([
    ["a host that is not named", () => `127.0.0.1:${other}`],
    ["a name for the same address", () => `localhost:${portOf(named)}`],
    ["the same address as one number", () => `2130706433:${portOf(named)}`],
    ["the same address in another disguise", () => `[::ffff:127.0.0.1]:${portOf(named)}`],
    ["the keeper of a cloud's secrets", () => "169.254.169.254:80"],
  ])("through the gate to %s", async (_, host) => {
    const result = await run(tunnel(host()));
    expect(said(result)).toContain("403 Forbidden");
    expect(contacts).toEqual([]);
    expect(result.evidence.connections).toEqual([expect.objectContaining({ host: host(), allowed: false })]);
  });

  test("by two requests on one line, or one that is no HTTP", async () => {
    const host = `127.0.0.1:${portOf(named)}`;
    const smuggled = `GET http://${host}/ HTTP/1.1\r\nHost: x\r\n\r\nGET http://127.0.0.1:${other}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    await run(ask(smuggled));
    expect(contacts).toEqual([`GET / ${host}`]);
    expect(said(await run(ask("\x05\x01\x00\r\n\r\n")))).not.toContain("200");
  });
});

// Whoever runs Writ, the gate stands in the sandbox's own network: root in a workspace of another, an ordinary user, and where a part
// of it is missing the turn does not run.
test.runIf(process.getuid?.() === 0).each([
  ["an ordinary user", nobody, []],
  ["root, in a workspace of another user", 0, []],
])("it leads where it should for %s, and nowhere else", async (_, uid, args) => {
  const host = `127.0.0.1:${portOf(named)}`;
  const script = `${tunnel(`127.0.0.1:${other}`)} require("node:net").connect(${other}, "127.0.0.1").on("error", () => undefined);
    require("node:http").get({ host: "127.0.0.1", port: 3128, path: "http://${host}/" }, (r) => r.on("data", (d) => console.log(String(d))));`;
  const { result } = await asOther(uid, args, script, host);
  contacts = contacts.filter((contact) => contact.includes("stranger"));
  expect(contacts).toEqual([]);
  expect(said(result)).toContain("403 Forbidden");
  expect(said(result)).toContain("hello from outside");
  expect(result.evidence.connections?.map(({ allowed }) => allowed).toSorted()).toEqual([false, true]);
});

test.runIf(process.getuid?.() === 0).each(["no-perl", "no-bwrap"])(
  "without one of its parts (%s) a package that names hosts does not run",
  async (missing) => {
    const { result } = await asOther(0, ["T2", missing], "0", "example.com");
    expect(result.error).toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
    expect(result.error?.message).toContain("needs perl and bubblewrap");
  },
);

/** One turn in a workspace of nobody's, run by a process of its own. */
async function asOther(
  uid: number,
  args: readonly string[],
  script: string,
  host: string,
): Promise<{ readonly result: TurnResultV1 }> {
  const folder = mkdtempSync("/var/tmp/writ-gate-");
  const root = join(folder, "workspace");
  mkdirSync(root);
  chmodSync(folder, 0o755);
  chownSync(root, nobody, nobody);
  server ??= joined(join(import.meta.dirname, "../support/turn-server.ts"));
  const drop = uid === 0 ? [] : ["setpriv", "--reuid", String(uid), "--regid", String(uid), "--clear-groups"];
  const [program = "", ...rest] = [...drop, process.execPath, server, root, ...args];
  const child = spawn(program, rest, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, HOME: "/nonexistent" },
  });
  let text = "";
  child.stdout.on("data", (data: Buffer) => (text += data.toString()));
  const capabilities = { read: ["**"], network: [host] };
  child.stdin.end(`${JSON.stringify({ command: ["node", "-e", script], outputs: [], capabilities })}\n`);
  await new Promise((resolve) => child.once("close", resolve));
  rmSync(folder, { recursive: true, force: true });
  return JSON.parse(text) as { readonly result: TurnResultV1 };
}

test("a list that cannot be kept is refused before anything runs", async () => {
  const result = await run("0", ["*.example.com"]);
  expect(result.error).toMatchObject({ code: "CAPABILITY_VIOLATION" });
  expect(result.error?.message).toContain("write a name or an address");
});

describe("names are resolved by the gate", () => {
  test.each([
    [["127.0.0.1"], "leads to 127.0.0.1"],
    [["93.184.216.34", "10.0.0.1"], "leads to 10.0.0.1"],
    [["::ffff:169.254.169.254"], "leads to ::ffff:169.254.169.254"],
    [[], "has no address"],
  ])("one that leads to %j is refused", async (addresses, why) => {
    const folder = mkdtempSync(join(tmpdir(), "writ-gate-"));
    const rules = readHostRules(["rebound.example.com"]);
    if (!rules.ok) throw new Error(rules.error.message);
    const path = join(folder, "gate");
    const gate = await serveGate({
      path,
      rules: rules.value,
      clock: systemClock,
      resolve: () => Promise.resolve(addresses),
    });
    const socket = connect(path);
    let got = "";
    socket.on("data", (data: Buffer) => (got += data.toString()));
    socket.write("CONNECT rebound.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n");
    await new Promise((resolve) => socket.once("close", resolve));
    await gate.close();
    rmSync(folder, { recursive: true });
    expect(got).toContain("403 Forbidden");
    expect(gate.connections).toEqual([expect.objectContaining({ allowed: false, why: expect.stringContaining(why) })]);
  });
});
