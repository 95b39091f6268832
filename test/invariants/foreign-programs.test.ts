// F15 where a server or a hook runs as somebody else (`command: sudo -u mcp …`): it may outlive us, and never takes us with it.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { joined } from "../support/joined.ts";

// Only root can become another user and leave its own servers behind.
test.runIf(process.getuid?.() === 0)("a server or a program that we may not end is let go", () => {
  const script = joined(fileURLToPath(new URL("../support/foreign-programs.ts", import.meta.url)));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8", timeout: 30_000 });
  const told = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { name: string; pid: number; ended: string; closed: number });
  for (const { pid } of told) if (pid > 1) process.kill(-pid, "SIGKILL"); // 0 would be ourselves
  const left = "what is left of it belongs to another user and goes on running";
  expect(told.map(({ name, ended, closed }) => ({ name, ended, closed }))).toEqual([
    { name: "leaves a child", ended: `it ended with status 0; ${left}`, closed: 1 },
    { name: "floods", ended: `it sent a message of more than 100 bytes; ${left}`, closed: 1 },
    { name: "stays", ended: `Writ closed it; ${left}`, closed: 1 },
    { name: "program", ended: "exited", closed: 1 },
    { name: "program", ended: "flooded", closed: 1 },
  ]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
