// F15 where a server runs as somebody else (`command: sudo -u mcp …`): it may outlive us, and never takes us with it.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { joined } from "../support/joined.ts";

// Only root can become another user and leave its own servers behind.
test.runIf(process.getuid?.() === 0)("a server that we may not end is let go, and its end says so", () => {
  const script = joined(fileURLToPath(new URL("../support/foreign-servers.ts", import.meta.url)));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8", timeout: 30_000 });
  const told = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { name: string; pid: number; ended: string; closed: number });
  for (const { pid } of told) process.kill(-pid, "SIGKILL");
  const left = "what is left of it belongs to another user and goes on running";
  expect(told.map(({ name, ended, closed }) => ({ name, ended, closed }))).toEqual([
    { name: "leaves a child", ended: `it ended with status 0; ${left}`, closed: 1 },
    { name: "floods", ended: `it sent a message of more than 100 bytes; ${left}`, closed: 1 },
    { name: "stays", ended: `Writ closed it; ${left}`, closed: 1 },
  ]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
