/**
 * The roles that Writ knows by itself; a workspace may define others, or these anew. A grant is a name or a glob:
 * `order.submit`, `framework:FMWK-005`, `class:RESIDENT`, `tool:fs.*`, `approve`, `read`.
 */
export const builtinRoles: Readonly<Record<string, readonly string[]>> = {
  viewer: ["read"],
  operator: ["read", "order.submit", "framework:*", "class:RESIDENT", "tool:*", "run.*", "session.*"],
  approver: ["read", "approve"],
  admin: ["*"],
};
