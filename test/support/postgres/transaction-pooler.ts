import { connect, createServer, type Socket } from "node:net";

/** A pooler in transaction mode, as small as it can be: a server connection belongs to a client until its transaction ends. */
export interface Pooler {
  readonly port: number;
  /** How often a client got another server connection than the one before. */
  readonly moves: number;
  close(): Promise<void>;
}

interface Backend {
  readonly socket: Socket;
  client: Client | undefined;
}

interface Client {
  readonly socket: Socket;
  backend: Backend | undefined;
  last: Backend | undefined;
  /** Messages that wait for a connection. */
  waiting: Buffer[];
  /** Sync and Query messages that were not answered by ReadyForQuery yet. */
  open: number;
}

const letter = (text: string): number => text.charCodeAt(0);

/** Hands every transaction to the connection that has been idle longest, so that no client keeps one by chance. */
export async function startTransactionPooler(
  serverPort: number,
  { user, database, size }: { readonly user: string; readonly database: string; readonly size: number },
): Promise<Pooler> {
  const idle: Backend[] = [];
  const line: Client[] = [];
  const sockets = new Set<Socket>();
  let moves = 0;

  const serve = (): void => {
    while (line.length > 0 && idle.length > 0) {
      const client = line.shift() as Client;
      const backend = idle.shift() as Backend;
      if (client.socket.destroyed) {
        idle.push(backend);
        continue;
      }
      if (client.last !== undefined && client.last !== backend) moves += 1;
      client.backend = backend;
      client.last = backend;
      backend.client = client;
      for (const message of client.waiting.splice(0)) backend.socket.write(message);
    }
  };
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(serverPort, "127.0.0.1", () => socket.write(startup(user, database)));
      const backend: Backend = { socket, client: undefined };
      let isUp = false;
      sockets.add(socket);
      socket.on("error", reject);
      socket.on("close", () => {
        sockets.delete(socket);
        backend.client?.socket.destroy();
      });
      const take = messages((type, message) => {
        if (!isUp) {
          if (type !== letter("Z")) return;
          isUp = true;
          idle.push(backend);
          resolve();
          return;
        }
        const { client } = backend;
        client?.socket.write(message);
        if (type !== letter("Z") || !client) return;
        client.open -= 1;
        if (client.open > 0 || message[5] !== letter("I")) return;
        client.backend = undefined;
        backend.client = undefined;
        idle.push(backend);
        serve();
      });
      socket.on("data", take);
    });
  for (let index = 0; index < size; index++) await open();

  const listener = createServer((socket) => {
    const client: Client = { socket, backend: undefined, last: undefined, waiting: [], open: 0 };
    sockets.add(socket);
    socket.on("error", () => undefined); // its end follows
    socket.on("close", () => {
      sockets.delete(socket);
      client.backend?.socket.destroy(); // in the middle of a transaction: the server rolls it back
    });
    const take = messages((type, message) => {
      if (type === letter("X")) return socket.end();
      if (type === letter("S") || type === letter("Q")) client.open += 1;
      if (client.backend) return client.backend.socket.write(message);
      client.waiting.push(message);
      if (client.waiting.length === 1) line.push(client);
      return serve();
    });
    let isUp = false;
    socket.on("data", (data: Buffer) => {
      if (isUp) return take(data);
      isUp = true; // the startup message comes alone
      return socket.write(Buffer.concat([frame("R", Buffer.alloc(4)), frame("Z", Buffer.from("I"))]));
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    get moves() {
      return moves;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        listener.close(() => resolve());
      }),
  };
}

/** Cuts a stream into messages: a letter, the length, what it says. */
function messages(take: (type: number, message: Buffer) => unknown): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 5 && rest.length >= rest.readInt32BE(1) + 1) {
      const end = rest.readInt32BE(1) + 1;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      take(message[0] as number, Buffer.from(message));
    }
  };
}

function frame(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

function startup(user: string, database: string): Buffer {
  const text = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(text.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, text]);
}
