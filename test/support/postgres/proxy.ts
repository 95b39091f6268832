import { connect, createServer, type Socket } from "node:net";

/** Stands between a client and the server, and can swallow things. */
export interface Proxy {
  readonly port: number;
  /**
   * When the client next says this: `answer` passes it on and loses what the server answers, `request` loses it on the
   * way. The client's connection breaks either way; the server's stays for a while, as it does when a network breaks.
   */
  cut(words: string, what: "answer" | "request"): void;
  readonly cuts: number;
  close(): Promise<void>;
}

export async function startProxy(serverPort: number): Promise<Proxy> {
  let wanted: { readonly words: string; readonly what: "answer" | "request" } | undefined;
  let cuts = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(serverPort, "127.0.0.1");
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => undefined); // the other side's end follows
      socket.on("close", () => sockets.delete(socket));
    }
    let isCut = false;
    client.on("data", (data) => {
      if (isCut) return;
      if (wanted && data.includes(wanted.words)) {
        const { what } = wanted;
        wanted = undefined;
        cuts += 1;
        isCut = true;
        if (what === "answer") server.write(data);
        client.destroy();
        setTimeout(() => server.destroy(), 500);
        return;
      }
      server.write(data);
    });
    server.on("data", (data) => {
      if (!isCut) client.write(data);
    });
    client.on("close", () => {
      if (!isCut) server.destroy();
    });
    server.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    cut(words, what) {
      wanted = { words, what };
    },
    get cuts() {
      return cuts;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        proxy.close(() => resolve());
      }),
  };
}
