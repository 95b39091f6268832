import type { ToolOffer } from "./tool-call.ts";

/** Tools that models know from other products, by the name of the same tool here. */
const known: Readonly<Record<string, string>> = {
  bash: "exec",
  shell: "exec",
  run: "exec",
  terminal: "exec",
  read: "fs.read",
  readfile: "fs.read",
  write: "fs.write",
  writefile: "fs.write",
  edit: "fs.edit",
  str_replace: "fs.edit",
  grep: "fs.search",
  search: "fs.search",
  glob: "fs.list",
  ls: "fs.list",
  todowrite: "todo",
  skill: "skill.load",
};

/**
 * The offered tool that a model means by another spelling of its name: other case, another mark between its parts, or the name
 * that the same tool has elsewhere. A name with two readings, and one with none, stays as it was: dispatch says what there is.
 */
export function offeredName(name: string, offered: readonly Pick<ToolOffer, "name">[]): string {
  if (offered.some((tool) => tool.name === name)) return name;
  const alike = offered.filter((tool) => plain(tool.name) === plain(name));
  if (alike.length === 1) return alike[0]?.name ?? name;
  if (alike.length > 1) return name;
  const lower = name.toLowerCase();
  const alias = Object.hasOwn(known, lower) ? known[lower] : known[lower.replaceAll(/[^a-z]/g, "")];
  return alias !== undefined && offered.some((tool) => tool.name === alias) ? alias : name;
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/^functions?[._:]/, "")
    .replaceAll(/[^a-z0-9]/g, "");
}
