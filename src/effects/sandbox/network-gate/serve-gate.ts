import { lookup } from "node:dns/promises";
import { chmodSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { pipeline, type Readable, type Writable } from "node:stream";
import { messageOf } from "#core/errors";
import { type Clock } from "#core/values";
import { admitHost, type HostRule, isInside } from "./host-rules.ts";

/** One connection that a turn asked for, as recorded in the evidence. */
export interface Connection {
  readonly host: string;
  readonly allowed: boolean;
  readonly why?: string;
  /** The address that was connected to; the gate resolves the name once. */
  readonly address?: string;
  /** Bytes from the turn, and to it. */
  sent: number;
  received: number;
}

interface Judged {
  readonly connection: Connection;
  readonly to?: { readonly address: string; readonly port: number };
}

export interface Gate {
  readonly connections: readonly Connection[];
  close(): Promise<void>;
}

export interface GateOptions {
  /** The Unix socket that the relay inside the sandbox's network connects to. */
  readonly path: string;
  readonly rules: readonly HostRule[];
  readonly clock: Clock;
  /** All addresses of a name. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const connectWithinMs = 10_000;
const maxConnections = 1_000;
const maxHostLength = 300;

/**
 * The only way out of a sandbox whose package names hosts: an HTTP proxy outside it (CONNECT for everything, plain requests too).
 * It admits the named hosts and no other, resolves names itself, and connects to the address that it checked.
 */
export function serveGate(options: GateOptions): Promise<Gate> {
  const resolve = options.resolve ?? everyAddress;
  const connections: Connection[] = [];
  const sockets = new Set<Socket>();

  /** Decides where a request may connect to, if anywhere, and notes it for the evidence. */
  const judge = async (asked: string): Promise<Judged> => {
    const note = (rest: Omit<Connection, "host" | "sent" | "received">): Connection => {
      const connection = { host: asked.slice(0, maxHostLength).toWellFormed(), ...rest, sent: 0, received: 0 };
      connections.push(connection);
      return connection;
    };
    const refused = (why: string): Judged => ({ connection: note({ allowed: false, why }) });
    if (connections.length >= maxConnections) return { connection: tooMany() };
    const admission = admitHost(asked, options.rules);
    if (!admission.allowed) return refused(admission.why);
    const { host, port } = admission;
    const led = (address: string): Judged => ({ connection: note({ allowed: true, address }), to: { address, port } });
    // An address that the package names is intended. A name that resolves to a private address may be an attack (DNS rebinding).
    if (isIP(host) !== 0) return led(host);
    let addresses: readonly string[];
    try {
      addresses = await resolve(host);
    } catch (thrown) {
      return refused(`the name was not resolved: ${messageOf(thrown)}`);
    }
    const [address] = addresses;
    if (address === undefined) return refused("the name has no address");
    const bad = addresses.find(isInside);
    if (bad !== undefined)
      return refused(`the name leads to ${bad}, which is not on the internet; name the address itself`);
    return led(address);
  };

  const server = createServer({ maxHeaderSize: 16_384 }, (asked, answer) => void forward(asked, answer));
  server.on("connect", (asked, client: Socket, head) => void tunnel(asked, client, head));
  server.on("upgrade", (_, client) => client.destroy());
  server.on("clientError", (_, client) => client.destroy());
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });

  const leadTo = (address: string, port: number): Socket => {
    const upstream = connect({ host: address, port });
    const cancel = options.clock.after(connectWithinMs, () => upstream.destroy(new Error("no answer")));
    for (const event of ["connect", "close"]) upstream.once(event, cancel);
    sockets.add(upstream);
    upstream.once("close", () => sockets.delete(upstream));
    return upstream;
  };

  async function tunnel(asked: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    client.on("error", () => client.destroy());
    const { connection, to } = await judge(asked.url ?? "");
    if (!to) {
      client.end(`HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nwrit: ${connection.why ?? ""}\n`);
      return;
    }
    const upstream = leadTo(to.address, to.port);
    upstream.once("error", () => client.end("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n"));
    upstream.once("connect", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      connection.sent += head.length;
      if (head.length > 0) upstream.write(head);
      counted(client, upstream, (bytes) => (connection.sent += bytes));
      counted(upstream, client, (bytes) => (connection.received += bytes));
    });
  }

  async function forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const refuse = (status: number, why: string) =>
      answer.writeHead(status, { connection: "close" }).end(`writ: ${why}\n`);
    const [, authority = "", path = ""] = /^http:\/\/([^/?#]*)([^#]*)$/.exec(asked.url ?? "") ?? [];
    const host = /:[0-9]*$/.test(authority) ? authority : `${authority}:80`;
    const { connection, to } = await judge(authority === "" ? (asked.url ?? "") : host);
    if (!to) {
      refuse(403, connection.why ?? "");
      return;
    }
    const headers = Object.fromEntries(
      Object.entries(asked.headers).filter(
        ([name]) => !/^(proxy-.*|connection|keep-alive|te|trailer|upgrade|host)$/.test(name),
      ),
    );
    const upstream = httpRequest({
      createConnection: () => leadTo(to.address, to.port),
      method: asked.method,
      path: path.startsWith("/") ? path : `/${path}`,
      headers: { ...headers, host: authority, connection: "close" }, // the host that was checked, whatever the header said
    });
    upstream.once("error", (thrown) => {
      if (answer.headersSent) answer.destroy();
      else refuse(502, messageOf(thrown));
    });
    upstream.once("response", (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      counted(given, answer, (bytes) => (connection.received += bytes));
    });
    counted(asked, upstream, (bytes) => (connection.sent += bytes));
  }

  return new Promise((ready, broken) => {
    server.once("error", broken);
    server.listen(options.path, () => {
      chmodSync(options.path, 0o600);
      ready({
        connections,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            for (const socket of sockets) socket.destroy();
          }),
      });
    });
  });
}

/** Connections beyond the number that the evidence can hold are refused. */
function tooMany(): Connection {
  return { host: "", allowed: false, why: `a turn may ask ${maxConnections} times`, sent: 0, received: 0 };
}

function counted(from: Readable, to: Writable, count: (bytes: number) => void): void {
  from.on("data", (chunk: Buffer) => count(chunk.length));
  pipeline(from, to, () => undefined); // an error on one side closes the other; the bytes so far are counted
}

async function everyAddress(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
}
