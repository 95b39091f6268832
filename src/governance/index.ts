/** Frameworks, registries, identity and rights, and what nobody may touch: what governs. Decides who may, never what is done. */
export type { Framework } from "./framework.ts";
export {
  type Authorization,
  type AuthorizationContext,
  authorizeOrder,
  weighOrder,
} from "./identity/authorize-order.ts";
export { type Caller, callerOfKey, devCaller, type IdentityConfig, localCaller } from "./identity/caller.ts";
export { covers } from "./identity/covers.ts";
export { type FrameworkReader, type FrameworkSources, frameworkReader } from "./load-framework.ts";
export { matchesPath, whyNotNamed } from "./path-patterns.ts";
export {
  isProtectedPath,
  type ProtectedPlace,
  protectedPlaces,
  whyProtected,
  whyUnreadable,
} from "./protected-paths.ts";
export { decideRight, explainRight, type Grant, type RightsDecision } from "./rights.ts";
export { comparablePath, isPlainName, workspacePath } from "./workspace-path.ts";
