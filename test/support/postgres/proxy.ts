import { connect, createServer, type Socket } from "node:net";

/** Stands between a client and the server, and can swallow things. */
export interface Proxy {
  readonly port: number;
  /**
   * When the client next says this: `answer` passes it on and loses what the server answers, `request` loses it on the
   * way. The client's connection breaks either way; the server's stays for a while, as it does when a network breaks. Said
   * twice, the second waits for the first.
   */
  cut(words: string, what: "answer" | "request", serverStaysMs?: number): void;
  readonly cuts: number;
  close(): Promise<void>;
}

export async function startProxy(serverPort: number): Promise<Proxy> {
  const cutting: { readonly words: string; readonly what: "answer" | "request"; readonly serverStaysMs: number }[] = [];
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
      const [wanted] = cutting;
      if (wanted && data.includes(wanted.words)) {
        cutting.shift();
        cuts += 1;
        isCut = true;
        if (wanted.what === "answer") server.write(data);
        client.destroy();
        setTimeout(() => server.destroy(), wanted.serverStaysMs);
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
    cut(words, what, serverStaysMs = 500) {
      cutting.push({ words, what, serverStaysMs });
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
