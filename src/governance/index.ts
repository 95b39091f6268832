/** What is allowed: packages, gates, registries, frameworks, identity and grants, approvals, secrets. Runs nothing. */
export { isProtectedPath } from "./protected-paths.ts";
