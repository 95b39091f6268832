import { openAgent, order } from "./agent.js";

const words = process.argv.slice(2).join(" ") || "weather in Oslo?";
const writ = await openAgent("workspace");
const sent = writ.thread({ order }).send(words);
for await (const part of sent.stream()) if (part.type === "text") process.stdout.write(part.text);
const { status, session_id } = await sent.result;
console.log(`\n${status}; npx writ session show ${session_id} --root workspace`);
await writ.close();
