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

function node22(folder: string): string {
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  const found = ["x64", "arm64"]
    .map((architecture) => `${folder}node_modules/node-linux-${architecture}/bin/node`)
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error("these peers need Node 22: run the bench with it");
  return found;
}
