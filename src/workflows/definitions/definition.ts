import type { ArtifactV1, CycleV1, PersonaV1, PhaseV1, PolicyV1 } from "#core/contracts";
import type { Sha256 } from "#core/values";
import type { PersonaRole } from "./persona-role.ts";

/** The five axes of L8. */
export type Axis = "cycle" | "phase" | "policy" | "persona" | "artifact";

export type Origin = "workspace" | "shipped";

/** What every definition has besides its frontmatter. */
interface Written {
  readonly id: string;
  readonly origin: Origin;
  /** As people see it. */
  readonly file: string;
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly hash: Sha256;
  readonly body: string;
  /** Line of a JSON path of the frontmatter. */
  readonly lineOf: (path: string) => number;
}

export interface CycleDefinition extends Written {
  readonly axis: "cycle";
  readonly data: CycleV1;
}

export interface PhaseDefinition extends Written {
  readonly axis: "phase";
  readonly data: PhaseV1;
}

export interface PolicyDefinition extends Written {
  readonly axis: "policy";
  readonly data: PolicyV1;
}

export interface PersonaDefinition extends Written {
  readonly axis: "persona";
  readonly data: PersonaV1;
  readonly role: PersonaRole;
  /** What `allowed-tools` grants here, by the names that Writ uses. */
  readonly tools: readonly string[];
}

export interface ArtifactDefinition extends Written {
  readonly axis: "artifact";
  readonly data: ArtifactV1;
}

export type Definition = CycleDefinition | PhaseDefinition | PolicyDefinition | PersonaDefinition | ArtifactDefinition;

/** A file of a definition before it is read. */
export interface SourceFile {
  readonly axis: Axis;
  readonly origin: Origin;
  /** Absolute. */
  readonly path: string;
  readonly file: string;
  /** What the place says the id is. */
  readonly id: string;
  /** Of a persona: the folder that it lies in. */
  readonly folder: string | null;
}
