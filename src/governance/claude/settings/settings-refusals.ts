import type { MandateV1 } from "#core/contracts";
import { isJsonObject, type JsonValue, ok, type Result } from "#core/values";
import { compileGlob } from "../../paths/glob.ts";
import { pathGlobs } from "../permissions/path-globs.ts";
import { readRule } from "../permissions/permission-rule.ts";
import type { ReadSettings, SettingsDocument, SettingsNote } from "./settings-document.ts";
import { typeOf } from "./settings-document.ts";

type Rule = NonNullable<MandateV1["settings"]>["rules"][number];

interface Refusals {
  readonly rules: readonly Rule[];
  readonly notes: readonly SettingsNote[];
}

/**
 * What other settings than `permissions` refuse, as rules like those: files and hosts that Claude Code's sandbox keeps from programs,
 * servers that may not be used, skills that are off. Here they hold for every tool.
 */
export function readRefusals(document: SettingsDocument, place: ReadSettings): Result<Refusals> {
  const rules: Rule[] = [];
  const notes: SettingsNote[] = [];
  const read = new Refuser(document, place, rules);
  const { sandbox, deniedMcpServers, skillOverrides } = document.value;
  if (sandbox !== undefined) {
    if (!isJsonObject(sandbox)) return document.refuse("$.sandbox", `is ${typeOf(sandbox)}, expected an object`);
    const done = read.ofSandbox(sandbox);
    if (!done.ok) return done;
    const others = Object.keys(sandbox).filter((key) => !["filesystem", "network", "credentials"].includes(key));
    if (others.length > 0)
      notes.push(document.note("$.sandbox", `of sandbox ${others.join(", ")} is not taken: ${ownSandbox}`));
  }
  if (deniedMcpServers !== undefined) {
    if (!Array.isArray(deniedMcpServers))
      return document.refuse("$.deniedMcpServers", `is ${typeOf(deniedMcpServers)}, expected a list`);
    for (const [index, entry] of deniedMcpServers.entries()) {
      const path = `$.deniedMcpServers[${index}]`;
      const name = isJsonObject(entry) ? entry["serverName"] : undefined;
      if (typeof name === "string" && name !== "") read.add(path, `mcp__${name.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`);
      else if (isJsonObject(entry)) notes.push(document.note(path, "servers are refused by their name alone"));
      else return document.refuse(path, `is ${typeOf(entry)}, expected an object such as {"serverName": "files"}`);
    }
  }
  if (skillOverrides !== undefined) {
    if (!isJsonObject(skillOverrides))
      return document.refuse("$.skillOverrides", `is ${typeOf(skillOverrides)}, expected an object`);
    for (const [name, value] of Object.entries(skillOverrides))
      if (value === "off") read.add(`$.skillOverrides.${name}`, `Skill(${name})`);
      else if (value !== "on")
        notes.push(document.note(`$.skillOverrides.${name}`, `${JSON.stringify(value)} is not taken: only "off" is`));
  }
  return ok({ rules, notes });
}

const ownSandbox = "Writ's own sandbox holds programs, by the order that they run under";

class Refuser {
  readonly #document: SettingsDocument;
  readonly #place: ReadSettings;
  readonly #rules: Rule[];

  constructor(document: SettingsDocument, place: ReadSettings, rules: Rule[]) {
    this.#document = document;
    this.#place = place;
    this.#rules = rules;
  }

  add(path: string, rule: string, globs?: readonly string[]): void {
    // A name that no rule can hold names nothing here either.
    if (!readRule(rule)) return;
    const { shown } = this.#document;
    this.#rules.push({
      document: shown,
      path: path.slice(2),
      effect: "deny",
      rule,
      ...(globs ? { globs: [...globs] } : {}),
    });
  }

  ofSandbox({ filesystem, network, credentials }: Readonly<Record<string, unknown>>): Result<void> {
    const lists = [
      ["filesystem.denyRead", isJsonObject(filesystem) ? filesystem["denyRead"] : undefined, "Read"],
      ["filesystem.denyWrite", isJsonObject(filesystem) ? filesystem["denyWrite"] : undefined, "Edit"],
      ["credentials.files", isJsonObject(credentials) ? credentials["files"] : undefined, "Read"],
      ["network.deniedDomains", isJsonObject(network) ? network["deniedDomains"] : undefined, "WebFetch"],
    ] as const;
    for (const [key, list, tool] of lists) {
      const at = `$.sandbox.${key}`;
      if (list === undefined) continue;
      if (!Array.isArray(list)) return this.#document.refuse(at, `is ${typeOf(list)}, expected a list`);
      for (const [index, entry] of (list as readonly JsonValue[]).entries()) {
        const named = isJsonObject(entry) ? entry["path"] : entry;
        if (typeof named !== "string" || named === "")
          return this.#document.refuse(`${at}[${index}]`, `is ${typeOf(entry)}, expected a text`);
        if (tool === "WebFetch") this.add(`${at}[${index}]`, `WebFetch(domain:${named.replace(/:\d+$/, "")})`);
        else this.#ofFile(`${at}[${index}]`, tool, named);
      }
    }
    return ok(undefined);
  }

  /** Paths begin where a shell would begin them: `/` at the machine's root, a name at the workspace or beside the user's settings. */
  #ofFile(at: string, tool: "Read" | "Edit", named: string): void {
    const { scope, anchor } = this.#document;
    const plain = named.replace(/^\/\//, "/").replace(/(?:\/\*\*)?\/*$/, "") || "/";
    const below = plain.replace(/^(?:\.\/)+/, "");
    const isOwn = scope === "project" || scope === "local";
    const pattern = plain.startsWith("/")
      ? `/${plain}`
      : plain.startsWith("~")
        ? plain
        : isOwn
          ? `./${below}`
          : `/${below}`;
    const { root, env } = this.#place;
    const globs = pathGlobs(pattern, "deny", { root, home: env["HOME"], settings: anchor });
    const held = globs.filter((glob) => compileGlob(glob).ok);
    if (held.length > 0) this.add(at, `${tool}(${pattern})`, held);
  }
}
