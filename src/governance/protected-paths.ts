/**
 * Paths of a workspace that no turn and no tool writes, whatever a capability says: the ledgers, and everything that
 * Writ or a program beside it reads as policy, configuration or code. Paths that do not exist yet count the same.
 */
const protectedFolders: ReadonlySet<string> = new Set([
  "planes",
  "packages",
  "schemas",
  "agents",
  "skills",
  "hooks",
  "workflows",
  "frameworks",
  "registries",
  "keys",
  ".writ",
  ".agents",
  ".claude",
]);

const protectedFiles: ReadonlySet<string> = new Set(["agents.md", "claude.md", ".mcp.json", ".npmrc", ".env"]);

/** At any depth: what git, npm and shells run or obey by themselves. */
const protectedAnywhere: ReadonlySet<string> = new Set([".git", ".gitmodules", ".gitattributes", ".husky", "node_modules"]);

/** `path` is relative to the workspace, resolved, with `/` between its parts. */
export function isProtectedPath(path: string): boolean {
  const parts = path
    .normalize("NFKC")
    .toLowerCase() // a workspace may lie on a file system that does not tell case apart
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  const [first] = parts;
  if (first === undefined || parts.includes("..")) return true;
  if (protectedFolders.has(first)) return true;
  if (parts.length === 1 && (protectedFiles.has(first) || /^writ\..*ya?ml$|^writ\.ya?ml$|^\.env\./.test(first))) return true;
  return parts.some((part) => protectedAnywhere.has(part));
}
