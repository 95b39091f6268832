// MCP servers that belong to another user, seen from a process that may not end them. Begins as root; tells how each ended.
import { systemClock } from "#base";
import { StdioTransport } from "../../src/tools/mcp/adapters/stdio-transport.ts";

const programs = {
  "leaves a child": "sleep 60 & read line",
  floods: 'read line; printf "%01000d\\n" 0; sleep 60',
  stays: "sleep 60",
};

const started = await Promise.all(
  Object.entries(programs).map(async ([name, program]) => {
    const transport = new StdioTransport({
      command: "/bin/sh",
      args: ["-c", program],
      env: { PATH: process.env["PATH"] ?? "" },
      cwd: "/",
      clock: systemClock,
      maxMessageBytes: 100,
      maxUnaskedBytes: 1000,
      graceMs: 50,
    });
    let closed = 0;
    const over = new Promise<void>((resolve) => {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transport is no event target
      transport.onclose = () => {
        closed += 1;
        resolve();
      };
    });
    await transport.start();
    return { name, transport, over, closed: () => closed };
  }),
);
process.setuid?.(65_534);
for (const { name, transport, over, closed } of started) {
  if (name === "stays") await transport.close();
  else await transport.send({ jsonrpc: "2.0", method: "ping" });
  await over;
  await transport.close();
  process.stdout.write(`${JSON.stringify({ name, pid: transport.pid, ended: transport.ended, closed: closed() })}\n`);
}
