// node measure.mjs FILE NAME: waits for lines {count, width} and answers each with what so many requests took.
import { createInterface } from "node:readline";

const [file, name] = process.argv.slice(2);
const { request } = (await import(`./${file}.mjs`))[name]();
for await (const line of createInterface({ input: process.stdin })) {
  const { count, width } = JSON.parse(line);
  const cpu = process.cpuUsage();
  const started = performance.now();
  let left = count;
  const lane = async () => {
    while (left-- > 0) await request();
  };
  await Promise.all(Array.from({ length: width }, lane));
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  console.log(JSON.stringify({ perSecond: (count / ms) * 1_000, cpuMs: (user + system) / 1_000 / count }));
}
