import { basename, dirname } from "node:path/posix";
import type { MandateV1 } from "#core/contracts";
import { type JsonObject } from "#core/values";
import { decideByRules } from "../claude/permissions/decide-by-rules.ts";
import { matchesPath, ruledCall } from "../claude/permissions/match-rule.ts";
import { readRule } from "../claude/permissions/permission-rule.ts";
import { matchesText } from "../paths/rights.ts";
import { clauseText, type Decision } from "./act.ts";

type Settings = NonNullable<MandateV1["settings"]>;
type Rule = Settings["rules"][number];

/** What settings files say about an act that everything else grants: nothing, a refusal, or that a person is asked. */
export interface SettingsRulings {
  /** Without arguments only rules about the tool as such are weighed. */
  tool(name: string, args: JsonObject | undefined): Partial<Decision> | undefined;
  /** A skill by its file: a rule about `Skill` refuses it however it would start. */
  load(path: string): Partial<Decision> | undefined;
  /** A file that would change, by whichever tool or program. */
  change(path: string): Partial<Decision> | undefined;
  host(host: string): Partial<Decision> | undefined;
}

export function settingsRulings(settings: Settings | undefined): SettingsRulings {
  const silent = () => undefined;
  if (settings === undefined) return { tool: silent, load: silent, change: silent, host: silent };
  const { rules, mode } = settings;
  const whole = rules.filter(({ effect, rule }) => effect === "deny" && readRule(rule)?.specifier === undefined);
  const refusing = rules.filter(({ effect, globs }) => effect === "deny" && globs !== undefined);
  const hosts = rules.filter(({ effect, rule }) => effect === "deny" && hostIn(rule) !== undefined);
  return {
    tool(name, args) {
      const ruling = decideByRules<Rule>(args ? rules : whole, args && mode?.value, ruledCall(name, args ?? {}));
      if (!ruling) return undefined;
      const clause = ruling.rule ?? mode;
      if (!clause) return undefined;
      const { document, path } = clause;
      const reason = `${clauseText({ document, path })} ${ruling.why}`;
      return ruling.effect === "deny"
        ? { allowed: false, clauses: [{ document, path }], reason }
        : { approval: { document, path, reason } };
    },
    load(path) {
      const skill = basename(path) === "SKILL.md" ? basename(dirname(path)) : basename(path, ".md");
      const refused = rules.filter(({ effect }) => effect === "deny");
      const { rule } = decideByRules<Rule>(refused, undefined, ruledCall("skill.load", { skill })) ?? {};
      return rule && refusal(rule);
    },
    change(path) {
      const rule = refusing.find(({ globs = [] }) => matchesPath(globs, path, "deny"));
      return rule && refusal(rule);
    },
    host(host) {
      const rule = hosts.find((each) => matchesText(hostIn(each.rule) ?? "", host.toLowerCase().replace(/\.$/, "")));
      return rule && refusal(rule);
    },
  };
}

function refusal({ document, path, rule }: Rule): Partial<Decision> {
  return {
    allowed: false,
    clauses: [{ document, path }],
    reason: `${clauseText({ document, path })} denies ${rule}`,
  };
}

function hostIn(text: string): string | undefined {
  const { tool, specifier = "" } = readRule(text) ?? {};
  return tool === "WebFetch" && specifier.startsWith("domain:")
    ? specifier.slice("domain:".length).trim().toLowerCase().replace(/\.$/, "")
    : undefined;
}
