/** What is allowed: packages, gates, registries, frameworks, identity and grants, approvals, secrets. Runs nothing. */
export { matchesPath } from "./path-patterns.ts";
export {
  isProtectedPath,
  type ProtectedPlace,
  protectedPlaces,
  whyProtected,
  whyUnreadable,
} from "./protected-paths.ts";
export { comparablePath, isPlainName, workspacePath } from "./workspace-path.ts";
