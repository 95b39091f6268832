// Comments and names speak of callers, sessions and processes in the field's own words. Strings are not looked at: what a user is
// shown belongs to the outside contract.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "@swc/core";

const root = fileURLToPath(new URL("../", import.meta.url));
/** Words that hide who does something: a sentence has the caller, the session or the process as its subject. */
const vague = ["whoever", "nobody", "somebody", "anybody", "told", "heard"];
/** Names that the dictionary of the second house replaced, and what each is called now. */
const replaced = new Map([
  ["turnstile", "semaphore"],
  ["patience", "request signal"],
  ["desk", "service"],
  ["desks", "services"],
  ["crew", "worker pool"],
  ["shelf", "index"],
  ["wish", "options or input"],
  ["wishes", "options or input"],
  ["recalled", "rebuilt"],
  ["keepable", "storable"],
  ["unkeepable", "unstorable"],
]);
const inComments = new RegExp(`\\b(?:${vague.join("|")})\\b`, "gi");
const inNames = new Set([...vague, ...replaced.keys()]);
/** What is text and no comment, although it may look like one. */
const texts = new Set(["StringLiteral", "TemplateElement", "RegExpLiteral", "JSXText"]);

const files = ["src", "studio/src"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
      (file) => `${folder}/${file.replaceAll("\\", "/")}`,
    ),
  )
  .filter((file) => /\.tsx?$/.test(file) && !file.includes("/generated/"));
const problems = files.flatMap((file) => problemsOf(file, readFileSync(join(root, file), "utf8")));
judge();

function problemsOf(file, source) {
  const { bytes, comments, names } = read(file, source);
  const found = [];
  for (const { 0: word, index } of comments.matchAll(inComments)) found.push({ word, index });
  for (const [name, index] of names) {
    const word = name.split(/(?=[A-Z])|[_$\d]/).find((part) => inNames.has(part.toLowerCase()));
    if (word !== undefined) found.push({ word, index });
  }
  const word = file
    .split("/")
    .flatMap((part) => part.replace(/\..*$/, "").split("-"))
    .find((part) => inNames.has(part));
  if (word !== undefined) found.push({ word, index: 0 });
  return found.map(({ word, index }) => {
    const line = bytes.subarray(0, index).filter((byte) => byte === 10).length + 1;
    return { text: `${file}:${line}: ${word.toLowerCase()}${sayInstead(word.toLowerCase())}` };
  });
}

/** Comments with all else blanked out, so that a place in them is a place in the file; and where each name first stands. */
function read(file, source) {
  // The parser counts bytes from wherever its last file ended: a statement before the text marks where this one begins.
  const { body } = parseSync(`0;${source}`, { syntax: "typescript", tsx: file.endsWith("x"), target: "es2022" });
  const start = body[0].span.start + 2;
  const bytes = Buffer.from(source);
  const code = Buffer.from(bytes);
  const names = new Map();
  const visit = (node) => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    if (node === null || typeof node !== "object" || Array.isArray(node)) return;
    if (texts.has(node.type)) code.fill(" ", node.span.start - start, node.span.end - start);
    else if (node.type === "Identifier" || node.type === "PrivateName") {
      const name = node.value ?? node.id?.value ?? "";
      if (!names.has(name)) names.set(name, node.span.start - start);
    }
    for (const each of Object.values(node)) if (each !== null && typeof each === "object") visit(each);
  };
  visit(body.slice(1));
  // One character for each byte, so that places agree.
  const comments = code
    .toString("latin1")
    .replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|[^\n]/g, (found) => (found.length > 1 ? found : " "));
  return { bytes, comments, names };
}

function sayInstead(word) {
  return replaced.has(word) ? ` (say ${replaced.get(word)})` : "";
}

function judge() {
  for (const { text } of problems) console.log(text);
  if (problems.length > 0) console.log("a comment or a name says who does what: the caller, the session, the process");
  if (files.length === 0) console.log("no file was looked at: are the folders still called so?");
  process.exit(problems.length > 0 || files.length === 0 ? 1 : 0);
}
