// `npm run release -- VERSION`: gathers changes/*.md into CHANGELOG.md under the new version, writes the version wherever it stands,
// and deletes the gathered files. It commits and tags nothing: a person reads the difference first, and it says how to go on.
// Many changes together are more than is read: `--draft FILE` writes them down and changes nothing else, a person shortens the file,
// and `--from FILE` releases what it says in their place. `--root DIR` works in another folder, `--date YYYY-MM-DD` takes another day.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const headings = ["Added", "Changed", "Fixed", "Removed"];
/** A longer release is not read. */
const mostBytes = 8 * 1024;

const { values: options, positionals } = parseArgs({
  options: {
    root: { type: "string" },
    date: { type: "string" },
    draft: { type: "string" },
    from: { type: "string" },
  },
  allowPositionals: true,
});
const root = options.root ?? fileURLToPath(new URL("../", import.meta.url));
const day = options.date ?? new Date().toISOString().slice(0, 10);
const [version = ""] = positionals;
const at = (...path) => join(root, ...path);
const read = (...path) => readFileSync(at(...path), "utf8");

const current = JSON.parse(read("package.json")).version;
if (!/^\d+\.\d+\.\d+$/.test(version)) refuse("which version? npm run release -- 0.3.0");
if (!isAfter(version, current)) refuse(`${version} does not come after ${current}`);
const files = readdirSync(at("changes")).filter((name) => name.endsWith(".md") && name !== "README.md");
if (files.length === 0) refuse("changes/ holds nothing to release");

const changes = files.sort().map((name) => [`changes/${name}`, read("changes", name)]);
if (options.draft !== undefined) {
  const draft = gathered(changes);
  writeFileSync(resolve(options.draft), draft);
  console.log(
    `${files.length} changes, ${Buffer.byteLength(draft)} bytes of at most ${mostBytes}: ${options.draft}. Shorten it, then:
  npm run release -- ${version} --from ${options.draft}`,
  );
  process.exit(0);
}
const said = options.from === undefined ? changes : [[options.from, readFileSync(resolve(options.from), "utf8")]];
const section = `## ${version}, ${day}\n\n${gathered(said)}`;
const bytes = Buffer.byteLength(section);
if (bytes > mostBytes)
  refuse(
    `the release has ${bytes} bytes, more than ${mostBytes}: say less of what users do not notice. --draft FILE writes it down to be shortened`,
  );

const changelog = read("CHANGELOG.md");
const first = changelog.search(/^## /m);
const [before, after] =
  first < 0 ? [`${changelog.trimEnd()}\n\n`, ""] : [changelog.slice(0, first), changelog.slice(first)];
writeFileSync(at("CHANGELOG.md"), `${before}${section}${after === "" ? "" : `\n${after}`}`);
setVersion("package.json", (manifest) => [manifest]);
setVersion("studio/package.json", (manifest) => [manifest]);
setVersion("create-writ/package.json", (manifest) => [manifest]);
setVersion("package-lock.json", (lock) => [
  lock,
  lock.packages[""],
  lock.packages["studio"],
  lock.packages["create-writ"],
]);
for (const page of ["README.md", "docs/guides/packages-and-gates.md"])
  if (existsSync(at(page))) writeFileSync(at(page), read(page).replaceAll(current, version));
for (const name of files) rmSync(at("changes", name));
console.log(`${files.length} changes released as ${version} (${bytes} bytes). Read the difference, run the checks and tests, then:
  git commit --all --message "Release ${version}" && git tag --annotate v${version} --message "Writ ${version}"`);

/** Items under each heading in the order of the texts. */
function gathered(texts) {
  const items = new Map(headings.map((heading) => [heading, []]));
  for (const [name, whole] of texts) {
    const [start, ...parts] = whole.split(/^### +/m);
    if (start.trim() !== "" || parts.length === 0) refuse(`${name} does not begin with ### and a heading`);
    for (const part of parts) {
      const [heading, ...lines] = part.split("\n");
      const text = lines.join("\n").trim();
      if (!items.has(heading.trim())) refuse(`${name}: ### ${heading.trim()} is none of ${headings.join(", ")}`);
      if (!text.startsWith("- ")) refuse(`${name}: under ### ${heading.trim()} stands no list`);
      items.get(heading.trim()).push(text);
    }
  }
  const parts = [...items].filter(([, list]) => list.length > 0);
  return parts.map(([heading, list]) => `### ${heading}\n\n${list.join("\n")}\n`).join("\n");
}

function setVersion(file, places) {
  if (!existsSync(at(file))) return;
  const value = JSON.parse(read(file));
  for (const place of places(value)) if (place) place.version = version;
  writeFileSync(at(file), `${JSON.stringify(value, null, 2)}\n`);
}

function isAfter(one, other) {
  const [left, right] = [one, other].map((text) => text.split(".").map(Number));
  const differing = left.findIndex((number, index) => number !== right[index]);
  return differing >= 0 && left[differing] > right[differing];
}

function refuse(why) {
  console.error(why);
  process.exit(2);
}
