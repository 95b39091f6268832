import type { Answer, CliContext } from "#core/commands";
import { type Command, exitStatus, flag } from "#core/commands";
import type { Screen } from "#core/terminal";
import { ok } from "#core/values";
import type { HouseRule } from "../rules/agreed-rules.ts";
import type { TrustState, WorkspaceTrust } from "../trust/trust-of-workspace.ts";
import { agrees, showActs, showRules } from "./show-acts.ts";
import { trustSourcesOf } from "./trust-sources-of.ts";

interface TrustParts {
  readonly root: string;
}

interface TrustOptions {
  readonly show?: boolean;
  readonly yes?: boolean;
  readonly revoke?: boolean;
}

export const trust: Command<"workspace", TrustParts, TrustOptions> = {
  name: "trust",
  summary: "see what a workspace would run, reach, hand on, loosen and tell its agents here, and agree to it",
  needs: "workspace",
  json: "root, state, trusted, digest, acts and rules, each with path, sha256, agreed and why",
  arguments: [],
  options: {
    show: flag("only show it"),
    yes: flag("agree without being asked"),
    revoke: flag("take back what was agreed to, also that you made it"),
  },
  about:
    "A workspace that you made with `writ init` is yours as it was when you first used it. One from elsewhere starts nothing\nbefore you agreed. A change to what either runs or loosens is shown and agreed to once. Where no person can be asked,\nWRIT_TRUST=DIGEST agrees to exactly what --show shows, WRIT_TRUST=/REAL/PATH to whatever the workspace there holds,\nand WRIT_TRUST=own to what you change in those you made.\nAGENTS.md and CLAUDE.md are rules for agents once you agreed to them as they are; until then they are read as data.",
  examples: ["writ trust", "writ trust --show --json | jq -r .digest", "writ trust --revoke"],
  exits: { 4: "it is not trusted, and no person agreed" },
  run: async ({ root }, { context, options, screen, json }) => {
    const { grantTrust, withdrawTrust } = await import("../trust/grant-trust.ts");
    const { trustOfWorkspace } = await import("../trust/trust-of-workspace.ts");
    const { rulesOfWorkspace } = await import("../rules/agreed-rules.ts");
    const sources = await trustSourcesOf(root, context);
    if (!sources.ok) return sources;
    if (options.revoke) {
      const withdrawn = await withdrawTrust(sources.value);
      if (!withdrawn.ok) return withdrawn;
    }
    const found = await trustOfWorkspace(sources.value);
    if (!found.ok) return found;
    const rules = await rulesOfWorkspace(sources.value);
    if (!rules.ok) return rules;
    const { unshownFiles } = await import("../trust/unshown-files.ts");
    const unshown = await unshownFiles(sources.value);
    if (!unshown.ok) return unshown;
    const isOpen = found.value.state === "unknown" || rules.value.some(({ isAgreed }) => !isAgreed);
    if (options.show || options.revoke || !isOpen) return ok(answerOf(found.value, rules.value, unshown.value));
    if (!json) {
      if (found.value.acts.length > 0) context.stderr.write(showActs(found.value, screen, unshown.value));
      if (!options.yes) context.stderr.write(showRules(rules.value, screen));
    }
    const agreed = options.yes === true || (!json && context.ask !== undefined && (await agrees(context.ask)));
    if (!agreed)
      return ok({ ...answerOf(found.value, rules.value), text: () => notGiven(context), exit: exitStatus.waiting });
    const given = await grantTrust(sources.value, found.value.digest, rules.value);
    if (!given.ok) return given;
    const now = await rulesOfWorkspace(sources.value);
    return now.ok ? ok(answerOf(given.value, now.value)) : now;
  },
};

function answerOf(found: WorkspaceTrust, rules: readonly HouseRule[], unshown: readonly string[] = []): Answer {
  const { state, root, digest, acts } = found;
  const listed = rules.map(({ path, sha256, isAgreed, why }) => ({ path, sha256, agreed: isAgreed, why }));
  return {
    json: { root, state, trusted: state !== "unknown", digest, acts, rules: listed },
    text: (screen) =>
      `${acts.length === 0 ? "" : showActs(found, screen, unshown)}${showRules(rules, screen)}${verdict(state, screen)}\n`,
  };
}

function verdict(state: TrustState, screen: Screen): string {
  const good = screen.green(screen.sign.ok);
  switch (state) {
    case "nothing":
      return `${good} it starts no program of its own, reaches no address and lowers no guard: there is nothing to trust`;
    case "own":
      return `${good} trusted: you made it`;
    case "agreed":
      return `${good} trusted, as it is now`;
    case "unknown":
      return `${screen.yellow(screen.sign.warn)} not trusted: nothing of this is started before you agree (writ trust)`;
  }
}

function notGiven({ ask }: CliContext): string {
  return ask ? "It was not trusted.\n" : "It was not trusted: there is no person to ask, and --yes is not given.\n";
}
