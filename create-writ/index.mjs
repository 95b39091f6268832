#!/usr/bin/env node
// `npm create writ`: three questions, and a TypeScript project with one tool, one hook and one test, which is run. Each question has a flag; where
// nobody can be asked, or with --yes, what is not said is the default.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";

const models = {
  function: "a function of yours: no key needed",
  anthropic: "Anthropic, with ANTHROPIC_API_KEY",
  openai: "OpenAI, with OPENAI_API_KEY",
  google: "Google, with GEMINI_API_KEY",
};
const usage = `npm create writ [FOLDER] [-- --model ${Object.keys(models).join("|")}] [--no-run] [--yes]`;
const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));

function fail(message) {
  console.error(`create-writ: ${message}\n${usage}`);
  process.exit(2);
}

const given = readArguments();
const answers = await ask();
const folder = resolve(answers.folder);
if (!Object.hasOwn(models, answers.model)) fail(`there is no model ${JSON.stringify(answers.model)}`);
if (existsSync(folder) && readdirSync(folder).length > 0) fail(`${folder} is not empty`);
writeProject();
console.log(`${folder}: an agent with one tool, one hook and one test`);
if (answers.run) runProject();
else console.log("next: npm install && npm test && npm start");

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        model: { type: "string" },
        run: { type: "boolean" },
        "no-run": { type: "boolean" },
        yes: { type: "boolean", short: "y" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    if (positionals.length > 1) fail(`one folder, not ${positionals.length}`);
    const run = values["no-run"] ? false : values.run;
    return { folder: positionals[0], model: values.model, run, yes: values.yes === true };
  } catch (thrown) {
    return fail(thrown.message);
  }
}

async function ask() {
  const defaults = { folder: "my-agent", model: "function", run: true };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (given.yes || !process.stdin.isTTY) return { ...defaults, ...known };
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const question = async (name, words, read = (text) => text) => {
    if (known[name] !== undefined) return known[name];
    const said = (await terminal.question(`${words} `)).trim();
    return said === "" ? defaults[name] : read(said);
  };
  const list = Object.entries(models).map(([name, what]) => `  ${name}: ${what}`);
  const asked = {
    folder: await question("folder", "Where shall it be? (my-agent)"),
    model: await question("model", `Which model answers?\n${list.join("\n")}\n(function)`),
    run: await question("run", "Install it and run its test now? (Y/n)", (text) => !/^n/i.test(text)),
  };
  terminal.close();
  return asked;
}

function writeProject() {
  mkdirSync(folder, { recursive: true });
  cpSync(new URL("template/", import.meta.url), folder, { recursive: true });
  const manifest = {
    name: packageName(basename(folder)),
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: { build: "tsc", start: "tsc && node dist/main.js", test: "tsc && node --test dist/agent.test.js" },
    dependencies: { writ: `^${version}`, zod: "^4.2.0" },
    devDependencies: { "@types/node": "^20.19.0", typescript: ">=5.9.0" },
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, "src", "model.ts"), modelText(answers.model));
  writeFileSync(join(folder, ".gitignore"), "node_modules\ndist\nworkspace\n");
}

/** The model of the program itself. The tests bring one of their own. */
function modelText(model) {
  if (model !== "function")
    return `/** Which model answers; its key is read from the environment. */\nexport const model = { config: { provider: "${model}" } } as const;\n`;
  return `import { defineProvider } from "writ";

/** Asks for the town of the request, then says what it read. Put a call of your own model here. */
const parrot = defineProvider({
  id: "parrot",
  async complete({ messages }) {
    const last = messages.at(-1);
    if (last?.role === "tool") return { text: \`I read: \${last.content}\` };
    const town = /in (\\p{L}+)/u.exec(last?.content ?? "")?.[1] ?? "Oslo";
    return { tool_calls: [{ id: \`c\${messages.length}\`, name: "weather.forecast", args: { town } }] };
  },
});

export const model = { config: {}, providers: [parrot] };
`;
}

function packageName(text) {
  return (
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, "-")
      .replace(/^[._-]+/, "") || "my-agent"
  );
}

function runProject() {
  for (const line of [["install"], ["test"]]) {
    const { status } = spawnSync("npm", line, { cwd: folder, stdio: "inherit" });
    if (status !== 0) {
      console.error(`create-writ: npm ${line.join(" ")} ended with ${status}; the project is in ${folder}`);
      process.exit(1);
    }
  }
  console.log("next: npm start");
}
