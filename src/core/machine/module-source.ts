/**
 * What a module's process runs, before and around the module. It is text, because it is handed to `node -e`: no file of Writ
 * has to be shown to the sandbox, and the same text serves the sources and the build.
 *
 * A line of JSON in, a line of JSON out. In: `{ id, shape, args }` is a call, `{ id, abort }` ends one, `{ reply, value }` is the
 * answer to a question. Out: `{ id, text | error | unread }` ends a call, `{ of, question, name, args }` asks for something in the
 * call `of`, `{ pong }` shows that the process still answers,
 * `{ broke }` that it ends.
 */
export const moduleSource: string = String.raw`
"use strict";
const { pathToFileURL } = require("node:url");
const { Readable } = require("node:stream");
const [path, typescript] = process.argv.slice(1);
const url = pathToFileURL(path).href;
const stringify = JSON.stringify;
const parse = JSON.parse;
const stdin = process.stdin;
const write = process.stdout.write.bind(process.stdout);
const post = (message) => void write(stringify(message) + "\n");
// What a module prints is no answer, and what it reads is no call.
process.stdout.write = process.stderr.write.bind(process.stderr);
Object.defineProperty(process, "stdin", { value: Readable.from([]), configurable: true });

const calls = new Map();
const questions = new Map();
let asked = 0;

function freeze(value) {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}

function describe(thrown) {
  try {
    const cause = thrown && thrown.cause && thrown.cause.message;
    return (String(thrown && thrown.message || thrown) + (cause ? " (" + cause + ")" : "")).slice(0, 2000);
  } catch (again) {
    return "something that cannot be shown";
  }
}

let loaded;
async function load() {
  return typescript ? (await import(typescript)).tsImport(url, url) : import(url);
}

function ask(of, name, args) {
  return new Promise((resolve, reject) => {
    const question = ++asked;
    questions.set(question, { resolve, reject });
    post({ of, question, name, args });
  });
}

/** Each shape of a module: what a call of it does. */
const shapes = {
  hook: async (found, call, signal) => {
    for (let step = 0; step < 2 && found && typeof found !== "function" && "default" in found; step++) found = found.default;
    const decide = typeof found === "function" ? found : found && found.decide;
    if (typeof decide !== "function") throw new Unread("its default export is neither a function nor an object with decide()");
    return decide(freeze(call.args[0]), { ...call.args[1], signal });
  },
  describe: ({ app, handlers, ...others }) => ({
    exports: [...Object.keys(others), ...(app === undefined ? [] : ["app"]), ...(handlers === undefined ? [] : ["handlers"])].sort(),
    app: app === undefined ? null : { app_id: typeof app?.app_id === "string" ? app.app_id : null, turn: typeof app?.turn === "function" },
    handlers: handlers === undefined ? null : typeof handlers === "object" && handlers !== null
      ? Object.entries(handlers).map(([name, each]) => [name, typeof each === "function"]) : [],
  }),
  app: ({ app }, { id, args: [input, context, reads] }, signal) => {
    const of = (group) => (name) => [name, (...args) => ask(id, group + name, args)];
    const documents = {
      put: (content) => ask(id, "documents.put", [typeof content === "string" ? content : { base64: Buffer.from(content).toString("base64") }]),
      get: async (hash) => {
        const got = await ask(id, "documents.get", [hash]);
        return got.ok ? { ok: true, value: new Uint8Array(Buffer.from(got.value.base64, "base64")) } : got;
      },
      has: (hash) => ask(id, "documents.has", [hash]),
    };
    return app.turn(input, {
      ...context, signal, documents,
      read: Object.fromEntries(reads.map(of("read."))),
      think: (question) => ask(id, "think", [question]),
    });
  },
  handlers: ({ handlers }, { id, args: [capability, lease] }, signal) =>
    handlers[capability](lease, { signal, submitPatch: (patch) => ask(id, "submitPatch", [patch]) }),
};

class Unread extends Error {}

async function answer(call) {
  const { id, shape, longest } = call;
  const controller = new AbortController();
  calls.set(id, controller);
  try {
    let found;
    try {
      found = await (loaded ??= load());
    } catch (thrown) {
      const isGone = thrown && thrown.code === "ERR_MODULE_NOT_FOUND" && thrown.url === url;
      return post({ id, unread: isGone ? "there is no such file" : describe(thrown), isSyntax: thrown instanceof SyntaxError });
    }
    const text = stringify(await shapes[shape](found, call, controller.signal));
    if (text !== undefined && text.length > longest) post({ id, error: "answered with more than " + longest + " characters" });
    else post({ id, text });
  } catch (thrown) {
    if (thrown instanceof Unread) post({ id, unread: thrown.message, isSyntax: false });
    else post({ id, error: "threw: " + describe(thrown) });
  } finally {
    calls.delete(id);
  }
}

function receive(message) {
  if ("reply" in message) {
    const question = questions.get(message.reply);
    questions.delete(message.reply);
    if (question && "thrown" in message) question.reject(new Error(message.thrown));
    else if (question) question.resolve(message.value);
  } else if (message.abort) {
    calls.get(message.id)?.abort();
    post({ pong: message.id });
  } else void answer(message);
}

process.on("uncaughtException", (thrown) => write(stringify({ broke: describe(thrown) }) + "\n", () => process.exit(1)));

let rest = "";
stdin.setEncoding("utf8");
stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) if (line !== "") receive(parse(line));
});
stdin.on("end", () => process.exit(0));
`;
