// node serve.mjs FILE NAME URL: opens a queue, and does what lines of [verb, ...arguments] say, one after another.
import { createInterface } from "node:readline";

const [file, name, url] = process.argv.slice(2);
const queue = await (await import(`./${file}.mjs`))[name](url);
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, ...given] = JSON.parse(line);
  await queue[verb](...given);
  console.log("done");
  if (verb === "close") process.exit(0);
}
