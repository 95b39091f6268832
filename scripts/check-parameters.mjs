// A call with five arguments in a row is read by counting commas, so a function takes at most four: what belongs
// together travels as one named object. Constructors, methods, and the signatures that types demand are counted too.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "@swc/core";

const root = fileURLToPath(new URL("../", import.meta.url));
const maxParameters = 4;
const folders = ["src", "test", "studio/src"];

/** The parameters of a node, if it has any: the parser names them differently per kind of signature. */
const parametersOf = (node) => {
  if (/^Ts(Method|Call|Construct)Signature|^Ts(Function|Constructor)Type/.test(node.type)) return node.params;
  if (/^(Function|ArrowFunction)/.test(node.type) || node.type === "Constructor") return node.params;
  return /^(Class|Private|Method)/.test(node.type) ? node.function?.params : undefined;
};
const nameOf = (node) => node?.value ?? node?.id?.value ?? node?.expression?.value;
/** The name under which a reader finds a function: its own, or that of what it is given to. */
const ownName = (node) => nameOf(node.identifier) ?? nameOf(node.key) ?? nameOf(node.id);

const problems = [];
let seen = 0;
for (const folder of folders)
  for (const name of readdirSync(join(root, folder), { recursive: true })) {
    if (!/\.tsx?$/.test(name)) continue;
    seen++;
    const file = `${folder}/${name.replaceAll("\\", "/")}`;
    // The parser counts bytes from wherever its last file ended: a statement before the text marks where this one begins.
    const text = Buffer.from(`0;${readFileSync(join(root, file), "utf8")}`);
    const { body } = parseSync(text.toString(), { syntax: "typescript", tsx: name.endsWith(".tsx"), target: "es2022" });
    const start = body[0].span.start;
    const lineOf = (node) => text.subarray(0, node.span.start - start).filter((byte) => byte === 10).length + 1;
    const visit = (node, holder) => {
      if (Array.isArray(node)) {
        for (const item of node) visit(item, holder);
        return;
      }
      if (node === null || typeof node !== "object") return;
      const parameters = parametersOf(node)?.filter((parameter) => nameOf(parameter.pat ?? parameter) !== "this");
      const called = ownName(node) ?? holder;
      if (parameters !== undefined && parameters.length > maxParameters)
        problems.push(`${file}:${lineOf(node)}: ${called ?? "a function"} takes ${parameters.length} parameters`);
      const isMethod = node.type?.endsWith("Method");
      for (const [key, value] of Object.entries(node)) {
        if (key === "span") continue;
        if (isMethod && key === "function")
          visit([value.params, value.body, value.returnType, value.decorators], called);
        else visit(value, called);
      }
    };
    visit(body, undefined);
  }
if (seen === 0) problems.push("not one file was seen: are the folders still called so?");
for (const problem of problems) console.log(problem);
if (problems.length > 0)
  console.log(`at most ${maxParameters}: name what belongs together and hand it over as one object`);
process.exit(problems.length > 0 ? 1 : 0);
