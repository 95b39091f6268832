// Programs that belong to another user, seen from a process that may not end them. Begins as root; tells how each ended.

import { nodeProcesses } from "#core/machine";
import { systemClock } from "#core/values";
import { StdioTransport } from "../../src/effects/mcp/adapters/stdio-transport.ts";
import { startOutside } from "../../src/effects/programs/start-outside.ts";

const programs = {
  "leaves a child": "sleep 60 & read line",
  floods: 'read line; printf "%01000d\\n" 0; sleep 60',
  stays: "sleep 60",
};

const started = await Promise.all(
  Object.entries(programs).map(async ([name, program]) => {
    const transport = new StdioTransport({
      start: () =>
        startOutside({ command: ["/bin/sh", "-c", program], env: { PATH: process.env["PATH"] ?? "" }, cwd: "/" }),
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
const run = (program: string) =>
  nodeProcesses(systemClock).run({
    command: ["/bin/sh", "-c", `echo $$; ${program}`],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    timeoutMs: 60_000,
    maxOutputBytes: 1000,
  });
const ran = [run("sleep 60 & exit 3"), run("head -c 2000 /dev/zero; sleep 60")];
process.setuid?.(65_534);
for (const { name, transport, over, closed } of started) {
  if (name === "stays") await transport.close();
  else await transport.send({ jsonrpc: "2.0", method: "ping" });
  await over;
  await transport.close();
  process.stdout.write(`${JSON.stringify({ name, pid: transport.pid, ended: transport.ended, closed: closed() })}\n`);
}
for (const end of await Promise.all(ran)) {
  if (!end.ok) throw new Error(end.error.message);
  process.stdout.write(
    `${JSON.stringify({ name: "program", pid: Number.parseInt(end.value.stdout, 10), ended: end.value.end.kind, closed: 1 })}\n`,
  );
}
