import type { Role } from "#agents";

/** The role of L3 that a persona is layered on, and whether what it says are findings. */
export interface PersonaRole {
  /** The folder that it lies in: `reviewer`, `researcher`, `document-reviewer`, … */
  readonly kind: string;
  readonly role: Role;
  readonly finds: boolean;
}

const kinds: Readonly<Record<string, PersonaRole>> = {
  lead: { kind: "lead", role: "lead", finds: false },
  planner: { kind: "planner", role: "planner", finds: false },
  worker: { kind: "worker", role: "worker", finds: false },
  researcher: { kind: "researcher", role: "worker", finds: false },
  reviewer: { kind: "reviewer", role: "reviewer", finds: true },
  "document-reviewer": { kind: "document-reviewer", role: "reviewer", finds: true },
  advisor: { kind: "advisor", role: "advisor", finds: false },
  scaffolder: { kind: "scaffolder", role: "scaffolder", finds: false },
};

export const personaKinds: readonly string[] = Object.keys(kinds);

export function personaRole(kind: string): PersonaRole | undefined {
  return Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
}
