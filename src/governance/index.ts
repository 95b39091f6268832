/** Frameworks, registries, identity and rights: what governs. Decides who may, never what is done. */
export type { Framework } from "./framework.ts";
export { type FrameworkSources, loadFramework } from "./load-framework.ts";
export { decideRight, explainRight, type Grant, type RightsDecision } from "./rights.ts";
export { isProtectedPath, whyProtected, whyUnreadable } from "./protected-paths.ts";
export { comparablePath, isPlainName, workspacePath } from "./workspace-path.ts";
