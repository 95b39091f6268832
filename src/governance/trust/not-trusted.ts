import { type DomainError, domainError } from "#core/errors";
import type { DeclaredAction } from "./declared-action.ts";
import type { WorkspaceTrust } from "./trust-of-workspace.ts";
import { trustVariable } from "./vouched-in.ts";

/** The refusal of the trust gate: what the workspace would do, and how to agree to it. */
export function notTrusted({ root, digest, acts, before }: WorkspaceTrust, why?: string): DomainError {
  const reason = why ?? (before ? "it has changed since it was trusted" : "this user did not make it");
  const would = acts.length === 0 ? "what it did before is gone" : `it would ${summaryOf(acts)}`;
  return domainError("WORKSPACE_NOT_TRUSTED", `${root} is not trusted: ${reason}, and ${would}`, {
    details: {
      root,
      digest,
      acts,
      ...(before ? { before } : {}),
      hint: `\`writ trust --show\` tells what that is, \`writ trust\` agrees to it; where no person can be asked, ${trustVariable}=${digest}`,
    },
  });
}

const wordings = [
  ["run", "run", "program", "programs"],
  ["start", "start", "server", "servers"],
  ["reach", "reach", "address", "addresses"],
  ["send", "hand on", "secret", "secrets"],
  ["write", "write", "file outside it", "files outside it"],
  ["loosen", "lower", "guard", "guards"],
] as const;

function summaryOf(acts: readonly DeclaredAction[]): string {
  return wordings
    .map(([does, verb, one, many]) => {
      const count = acts.filter((act) => act.does === does).length;
      return count === 0 ? "" : `${verb} ${count} ${count === 1 ? one : many}`;
    })
    .filter((part) => part !== "")
    .join(", ");
}
