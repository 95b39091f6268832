import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { installPeers } from "./install-peers.ts";

interface Measured {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** A peer that needs Node 22, in a process of its own: it measures itself, as we measure the others. */
export interface PeerOnNode22 {
  measure(count: number, width: number): Promise<Measured>;
}

export function peerOnNode22(file: string, name: string): PeerOnNode22 {
  const folder = installPeers("peers-node-22");
  const child = spawn(node22(folder), [`${folder}measure.mjs`, file, name], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async measure(count, width) {
      child.stdin.write(`${JSON.stringify({ count, width })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${name} ended on Node 22`);
      return JSON.parse(value) as Measured;
    },
  };
}

/** A queue, in the verbs that all of them have. */
export interface QueuePeer {
  bulk(count: number): Promise<void>;
  single(count: number, lanes: number): Promise<void>;
  drain(count: number): Promise<void>;
  close(): Promise<void>;
}

/** The same for a queue: it is told what to do, and says when it is done. */
export async function queueOnNode22(name: string, url: string): Promise<QueuePeer> {
  const folder = installPeers("peers-node-22");
  const child = spawn(node22(folder), [`${folder}serve.mjs`, "queues", name, url], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answered = async (): Promise<void> => {
    if ((await lines.next()).done) throw new Error(`${name} ended on Node 22`);
  };
  const say = async (...said: readonly (string | number)[]): Promise<void> => {
    child.stdin.write(`${JSON.stringify(said)}\n`);
    await answered();
  };
  await answered();
  return {
    bulk: (count) => say("bulk", count),
    single: (count, lanes) => say("single", count, lanes),
    drain: (count) => say("drain", count),
    close: () => say("close"),
  };
}

export function node22(folder: string): string {
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  const found = ["x64", "arm64"]
    .map((architecture) => `${folder}node_modules/node-linux-${architecture}/bin/node`)
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error("these peers need Node 22: run the bench with it");
  return found;
}
