import type { Answer } from "#core/values";

/** Tools of MCP servers that a person approved. */
export interface ToolPinStore {
  /** The tools of servers that a person approved. */
  toolPins(): Answer<readonly StoredToolPin[]>;
  /** Approvals given and taken back, all in one transaction. */
  changeToolPins(changes: ToolPinChanges): Answer<void>;
}

export interface StoredToolPin {
  readonly server: string;
  /** As the server calls it. */
  readonly tool: string;
  /** As Writ calls it. */
  readonly name: string;
  readonly hash: string;
  /** How the server was reached, as canonical JSON. */
  readonly launch: string;
  /** The whole definition, as canonical JSON. */
  readonly definition: string;
  readonly approved_at: string;
  readonly approved_by: string;
}

export interface ToolPinChanges {
  readonly put: readonly StoredToolPin[];
  readonly drop: readonly Pick<StoredToolPin, "server" | "tool">[];
}
