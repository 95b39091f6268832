/**
 * What a module's thread runs. It is text, because a thread cannot be started from a TypeScript file on Node 20, and the
 * same text has to serve the sources and the build.
 */
export const workerSource: string = `
"use strict";
const { parentPort, workerData } = require("node:worker_threads");
const post = parentPort.postMessage.bind(parentPort);
const stringify = JSON.stringify;
const longest = 1024 * 1024;
const calls = new Map();

function freeze(value) {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}

function describe(thrown) {
  try {
    return String(thrown && thrown.message || thrown).slice(0, 2000);
  } catch (again) {
    return "something that cannot be shown";
  }
}

async function load() {
  const typescript = workerData.typescript && (await import(workerData.typescript));
  let found = typescript ? await typescript.tsImport(workerData.url, workerData.url) : await import(workerData.url);
  for (let step = 0; step < 2 && found && typeof found !== "function" && "default" in found; step++) found = found.default;
  const decide = typeof found === "function" ? found : found && found.decide;
  if (typeof decide !== "function") throw new Error("its default export is neither a function nor an object with decide()");
  return decide;
}

let loaded;

async function answer({ id, input, about }) {
  let decide;
  try {
    decide = await (loaded ??= load());
  } catch (thrown) {
    const isGone = thrown && thrown.code === "ERR_MODULE_NOT_FOUND" && thrown.url === workerData.url;
    const unread = isGone ? "there is no such file" : describe(thrown);
    return post({ id, unread, isSyntax: thrown instanceof SyntaxError });
  }
  const controller = new AbortController();
  calls.set(id, controller);
  try {
    const text = stringify(await decide(freeze(input), { ...about, signal: controller.signal }));
    if (text !== undefined && text.length > longest) post({ id, error: "answered with more than " + longest + " characters" });
    else post({ id, text });
  } catch (thrown) {
    post({ id, error: "threw: " + describe(thrown) });
  } finally {
    calls.delete(id);
  }
}

parentPort.on("message", (message) => {
  if (!message.abort) return void answer(message);
  const controller = calls.get(message.id);
  if (controller) controller.abort();
  post({ id: message.id, pong: true });
});
`;
