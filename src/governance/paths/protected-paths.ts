import { comparablePath } from "./workspace-path.ts";

/** A place that no turn and no tool writes, whatever its rights say. */
export interface ProtectedPlace {
  /** Lower case; `*` stands for any run of characters in one part of a path. */
  readonly name: string;
  /** `root`: only at the top of the workspace. `anywhere`: in every folder. */
  readonly at: "root" | "anywhere";
  readonly why: string;
}

const policy = "Writ reads it as policy";
const code = "it is run as code";
const tools = "tools run or obey it by themselves";
const secret = "it holds secrets";

/**
 * Everything that Writ, or a program that people run in the workspace, reads as policy, configuration or code; and the
 * ledgers. Places that do not exist yet count the same: creating one would plant rules for the next session.
 */
export const protectedPlaces: readonly ProtectedPlace[] = [
  { name: "planes", at: "root", why: "it holds the ledgers" },
  { name: "packages", at: "root", why: policy },
  { name: "schemas", at: "root", why: policy },
  { name: "agents", at: "root", why: policy },
  { name: "skills", at: "root", why: policy },
  { name: "hooks", at: "root", why: code },
  { name: "workflows", at: "root", why: policy },
  { name: "frameworks", at: "root", why: policy },
  { name: "registries", at: "root", why: policy },
  { name: "writ.*", at: "root", why: policy },
  { name: ".writ*", at: "root", why: policy },
  { name: "keys", at: "root", why: secret },
  { name: ".agents", at: "anywhere", why: policy },
  { name: ".claude", at: "anywhere", why: policy },
  { name: ".codex", at: "anywhere", why: policy },
  { name: ".cursor", at: "anywhere", why: policy },
  { name: ".gemini", at: "anywhere", why: policy },
  { name: "agents.md", at: "anywhere", why: policy },
  { name: "agents.override.md", at: "anywhere", why: policy },
  { name: "claude.md", at: "anywhere", why: policy },
  { name: "claude.local.md", at: "anywhere", why: policy },
  { name: "gemini.md", at: "anywhere", why: policy },
  { name: ".mcp.json", at: "anywhere", why: policy },
  { name: ".git", at: "anywhere", why: tools },
  { name: "git~*", at: "anywhere", why: tools }, // the short name of .git on Windows
  { name: ".gitmodules", at: "anywhere", why: tools },
  { name: ".gitattributes", at: "anywhere", why: tools },
  { name: ".gitconfig", at: "anywhere", why: tools },
  { name: ".githooks", at: "anywhere", why: code },
  { name: ".husky", at: "anywhere", why: code },
  { name: ".pre-commit-config.y*ml", at: "anywhere", why: code },
  { name: "lefthook.y*ml", at: "anywhere", why: code },
  { name: ".vscode", at: "anywhere", why: tools },
  { name: ".idea", at: "anywhere", why: tools },
  { name: ".devcontainer", at: "anywhere", why: tools },
  { name: "node_modules", at: "anywhere", why: code },
  { name: "package.json", at: "anywhere", why: "its scripts are run as code" },
  { name: "package-lock.json", at: "anywhere", why: "it decides which code is installed" },
  { name: "npm-shrinkwrap.json", at: "anywhere", why: "it decides which code is installed" },
  { name: "yarn.lock", at: "anywhere", why: "it decides which code is installed" },
  { name: "pnpm-lock.yaml", at: "anywhere", why: "it decides which code is installed" },
  { name: "bun.lock*", at: "anywhere", why: "it decides which code is installed" },
  { name: ".npmrc", at: "anywhere", why: tools },
  { name: ".yarnrc*", at: "anywhere", why: tools },
  { name: ".pnpmfile.*", at: "anywhere", why: code },
  { name: ".envrc", at: "anywhere", why: code },
  { name: ".env*", at: "anywhere", why: secret },
  { name: ".bash*", at: "anywhere", why: code },
  { name: ".profile", at: "anywhere", why: code },
  { name: ".zsh*", at: "anywhere", why: code },
  { name: ".ssh", at: "anywhere", why: secret },
  { name: ".gnupg", at: "anywhere", why: secret },
  { name: ".aws", at: "anywhere", why: secret },
  { name: ".netrc", at: "anywhere", why: secret },
  { name: ".git-credentials", at: "anywhere", why: secret },
  { name: "*.pem", at: "anywhere", why: secret },
  { name: "*.key", at: "anywhere", why: secret },
  { name: "*.p12", at: "anywhere", why: secret },
  { name: "*.pfx", at: "anywhere", why: secret },
  { name: "id_rsa*", at: "anywhere", why: secret },
  { name: "id_ed25519*", at: "anywhere", why: secret },
  { name: "id_ecdsa*", at: "anywhere", why: secret },
];

/** What is not even read: keys, credentials, and the ledgers, which hold the texts of other sessions. */
const unreadable: readonly ProtectedPlace[] = [
  ...protectedPlaces.filter((place) => place.why === secret || place.name === "planes"),
  { name: ".npmrc", at: "anywhere", why: secret },
  { name: ".yarnrc*", at: "anywhere", why: secret },
];

/** `path` is relative to the workspace. A path that leaves it is protected too, and so is the workspace itself. */
export function isProtectedPath(path: string): boolean {
  return whyProtected(path) !== undefined;
}

/** Why no caller may write there, in words that end a sentence; undefined when the caller's rights decide. */
export function whyProtected(path: string): string | undefined {
  const parts = comparablePath(path).split("/");
  if (path.startsWith("/") || path.split("/").includes("..")) return "it lies outside the workspace";
  if (parts[0] === "") return "it is the workspace itself";
  return find(protectedPlaces, parts);
}

/** Says why no caller may read a path of the workspace, in words that end a sentence; undefined when it may be read. */
export type ReadingRule = (path: string) => string | undefined;

/** Why no caller may read there; a path with `.git` in it may be read, except where git keeps credentials. */
export function whyUnreadable(path: string): string | undefined {
  const parts = comparablePath(path).split("/");
  const git = parts.lastIndexOf(".git");
  if (git >= 0 && parts.at(-1) === "config") return secret;
  return find(unreadable, parts);
}

/**
 * A quick look at one name: false when nothing of that name can be unreadable, whatever folder it lies in. Names that are not
 * plain ASCII are left to the rule itself, which folds their forms.
 */
export function mayBeUnreadable(name: string): boolean {
  return likely.test(name) || !/^[ -~]*$/.test(name);
}

const likely = new RegExp(
  `^(?:config|${[...new Set(unreadable.map((place) => place.name))]
    .map((name) =>
      name
        .split("*")
        .map((part) => part.replaceAll(/[.~]/g, "\\$&"))
        .join(".*"),
    )
    .join("|")})(?:[. ]*|:.*)$`,
  "i",
);

function find(places: readonly ProtectedPlace[], parts: readonly string[]): string | undefined {
  for (const [index, part] of parts.entries()) {
    const place = places.find(({ name, at }) => (at === "anywhere" || index === 0) && matchesPart(name, part));
    if (place) return place.why;
  }
  return undefined;
}

function matchesPart(name: string, part: string): boolean {
  const star = name.indexOf("*");
  if (star < 0) return part === name;
  const head = name.slice(0, star);
  const tail = name.slice(star + 1);
  return part.length >= head.length + tail.length && part.startsWith(head) && part.endsWith(tail);
}
