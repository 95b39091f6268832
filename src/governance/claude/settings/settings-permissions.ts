import type { MandateV1 } from "#core/contracts";
import { isJsonObject, type JsonObject, ok, type Result } from "#core/values";
import { compileGlob } from "../../paths/glob.ts";
import { permissionModes } from "../permissions/decide-by-rules.ts";
import type { Effect } from "../permissions/match-rule.ts";
import { pathGlobs } from "../permissions/path-globs.ts";
import { fileRules, readRule } from "../permissions/permission-rule.ts";
import type { ReadSettings, SettingsDocument, SettingsNote } from "./settings-document.ts";
import { typeOf } from "./settings-document.ts";
import { readRefusals } from "./settings-refusals.ts";

type Permissions = NonNullable<MandateV1["settings"]>;
type Rule = Permissions["rules"][number];

interface PermissionsRead {
  readonly permissions: Permissions | undefined;
  readonly notes: readonly SettingsNote[];
}

/** The rules of all files together, refusals first; the mode is that of the file that comes first. */
export function readPermissions(documents: readonly SettingsDocument[], place: ReadSettings): Result<PermissionsRead> {
  const notes: SettingsNote[] = [];
  const rules: Rule[] = [];
  let mode: Permissions["mode"];
  let isStated = false;
  const beside: Rule[] = [];
  const managedOnly = documents.some(
    ({ scope, value }) => scope === "managed" && value["allowManagedPermissionRulesOnly"] === true,
  );
  for (const document of documents) {
    const refused = readRefusals(document, place);
    if (!refused.ok) return refused;
    beside.push(...refused.value.rules);
    notes.push(...refused.value.notes);
    const section = document.value["permissions"];
    if (section === undefined) continue;
    if (!isJsonObject(section)) return document.refuse("$.permissions", `is ${typeOf(section)}, expected an object`);
    isStated = true;
    const isOwn = document.scope === "managed" || document.scope === "user";
    const mayAllow = (place.isTrusted || isOwn) && !(managedOnly && document.scope !== "managed");
    for (const effect of ["deny", "ask", "allow"] as const) {
      const read = readList(document, section, { effect, place });
      if (!read.ok) return read;
      notes.push(...read.value.notes);
      if (effect !== "allow" || mayAllow) rules.push(...read.value.rules);
      else if (read.value.rules.length > 0)
        notes.push(
          document.note(
            "$.permissions.allow",
            `permissions.allow is not taken: ${managedOnly ? "only rules of managed settings allow" : "this workspace is not trusted (`writ trust`)"}`,
          ),
        );
    }
    const stated = readMode(document, section, mayAllow);
    if (!stated.ok) return stated;
    mode ??= stated.value;
    notes.push(...directories(document, section, place.root));
  }
  // Without `permissions` nothing is asked, and what other settings refuse is refused all the same.
  if (!isStated) return ok({ permissions: beside.length === 0 ? undefined : { rules: beside }, notes });
  rules.push(...beside);
  const isLocked = documents.some(
    ({ value: { permissions } }) =>
      isJsonObject(permissions) && permissions["disableBypassPermissionsMode"] === "disable",
  );
  const chosen = mode ?? { document: documents[0]?.shown ?? "", path: "permissions", value: "default" as const };
  return ok({
    permissions: {
      mode: isLocked && chosen.value === "bypassPermissions" ? { ...chosen, value: "default" } : chosen,
      rules,
    },
    notes,
  });
}

interface ListPlace {
  readonly effect: Effect;
  readonly place: ReadSettings;
}

function readList(
  document: SettingsDocument,
  section: JsonObject,
  { effect, place }: ListPlace,
): Result<{ readonly rules: readonly Rule[]; readonly notes: readonly SettingsNote[] }> {
  const list = section[effect];
  if (list === undefined) return ok({ rules: [], notes: [] });
  const at = `$.permissions.${effect}`;
  if (!Array.isArray(list)) return document.refuse(at, `is ${typeOf(list)}, expected a list of rules`);
  const rules: Rule[] = [];
  const notes: SettingsNote[] = [];
  for (const [index, written] of list.entries()) {
    const path = `${at}[${index}]`;
    if (typeof written !== "string")
      return document.refuse(path, `is ${typeOf(written)}, expected a rule such as "Bash(git push *)"`);
    const text = effect === "allow" ? written : withParentheses(written);
    if (text !== written) notes.push(document.note(path, `${JSON.stringify(written)} is read as ${text}`));
    const rule = readRule(text);
    if (!rule) {
      if (effect !== "allow")
        return document.refuse(
          path,
          `${JSON.stringify(text)} is no rule such as "Bash(git push *)", and would refuse nothing`,
        );
      notes.push(document.note(path, `${JSON.stringify(text)} is no rule, and allows nothing`));
      continue;
    }
    const { tool, specifier } = rule;
    const kind = fileRules[tool];
    if (kind !== undefined && specifier !== undefined && tool !== kind && effect === "allow") {
      notes.push(document.note(path, `${text} allows nothing, as in Claude Code; ${kind}(${specifier}) would`));
      continue;
    }
    const isOfFiles = kind !== undefined && specifier !== undefined;
    const globs = isOfFiles
      ? pathGlobs(specifier, effect, { root: place.root, home: place.env["HOME"], settings: document.anchor }).filter(
          (glob) => compileGlob(glob).ok,
        )
      : undefined;
    rules.push({ document: document.shown, path: path.slice(2), effect, rule: text, ...(globs ? { globs } : {}) });
  }
  return ok({ rules, notes });
}

/** `Read ~/.ssh/**` is no rule there and refuses nothing, though its author wants it refused. */
function withParentheses(written: string): string {
  const [, tool, rest] = /^\s*([A-Z][A-Za-z]+)\s+([^()\s][^()]*?)\s*$/.exec(written) ?? [];
  return tool === undefined ? written : `${tool}(${rest})`;
}

const aliases: Readonly<Record<string, string>> = { manual: "default", auto: "default", delegate: "default" };

function readMode(document: SettingsDocument, section: JsonObject, mayAllow: boolean): Result<Permissions["mode"]> {
  const stated = section["defaultMode"];
  if (stated === undefined) return ok(undefined);
  const value = permissionModes.find(
    (mode) => mode === (typeof stated === "string" ? (aliases[stated] ?? stated) : stated),
  );
  if (value === undefined)
    return document.refuse(
      "$.permissions.defaultMode",
      `is ${typeOf(stated)}, expected one of ${permissionModes.join(", ")}`,
    );
  const loosens = value === "acceptEdits" || value === "bypassPermissions";
  return ok({
    document: document.shown,
    path: "permissions.defaultMode",
    value: loosens && !mayAllow ? "default" : value,
  });
}

/** Agents act in the workspace alone, whatever a file names besides. */
function directories(document: SettingsDocument, section: JsonObject, root: string): readonly SettingsNote[] {
  const list = section["additionalDirectories"];
  if (!Array.isArray(list)) return [];
  const outside = list.filter(
    (each) =>
      (typeof each === "string" && /^(?:~|\.\.)/.test(each)) ||
      (typeof each === "string" && each.startsWith("/") && !`${each}/`.startsWith(`${root}/`)),
  );
  if (outside.length === 0) return [];
  return [
    document.note(
      "$.permissions.additionalDirectories",
      `permissions.additionalDirectories is not taken for ${outside.join(", ")}: agents act in the workspace alone`,
    ),
  ];
}
