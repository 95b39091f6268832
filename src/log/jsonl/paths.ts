import { join } from "node:path";
import type { Tier } from "../tier.ts";

/** Where the log lies in a workspace. */
export function journalFolder(root: string): string {
  return join(root, "planes", "hot", "journal");
}

/** Where the heads of sessions are anchored. */
export function anchorFile(root: string): string {
  return join(root, "planes", "hot", "anchors", "anchors.jsonl");
}

export function sessionsFolder(root: string, tier: Tier): string {
  return join(root, "planes", tier, "sessions");
}

export interface SessionPaths {
  /** The folder of the workspace that all sessions lie in. */
  readonly planes: string;
  readonly folder: string;
  readonly ledgerFolder: string;
  readonly events: string;
  readonly exec: string;
  readonly evidence: string;
}

export function sessionPaths(root: string, tier: Tier, session_id: string): SessionPaths {
  const folder = join(sessionsFolder(root, tier), session_id);
  const ledgerFolder = join(folder, "ledger");
  return {
    planes: join(root, "planes"),
    folder,
    ledgerFolder,
    events: join(folder, ".events.jsonl"),
    exec: join(ledgerFolder, "exec.jsonl"),
    evidence: join(ledgerFolder, "evidence.jsonl"),
  };
}

const generationShape = /^(\d{6})\.journal$/;

/** Generations of one process's journal are numbered from 1 and sort by name. */
export function generationName(generation: number): string {
  return `${String(generation).padStart(6, "0")}.journal`;
}

export function generationOf(fileName: string): number | undefined {
  const digits = generationShape.exec(fileName)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export const livenessName = "alive.lock";
