import {
  constants,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { unlessGone } from "../files/unless-gone.ts";
import type { RealizedWrite } from "../realized.ts";

/** What a turn wrote against its word, kept for a person to look at. Only plain files are kept, never links or devices. */
export interface Quarantined {
  readonly turn_id: string;
  readonly turn_number: number;
  readonly session_id: string;
  readonly package_id: string;
  readonly at: string;
  readonly code: string;
  readonly message: string;
  readonly declared: readonly string[];
  readonly writes: readonly RealizedWrite[];
  readonly bytes: number;
}

export function keepInQuarantine(folder: string, layer: string, about: Quarantined): void {
  const place = join(folder, about.turn_id);
  for (const write of about.writes) {
    if (write.kind !== "write") continue;
    const target = join(place, "files", write.path);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    move(join(layer, write.path), target);
  }
  mkdirSync(place, { recursive: true, mode: 0o700 });
  // Last: a folder without it is the rest of a crash, and is not listed.
  writeFileSync(join(place, "quarantine.json.new"), JSON.stringify(about));
  renameSync(join(place, "quarantine.json.new"), join(place, "quarantine.json"));
}

export function listQuarantine(folder: string): readonly Quarantined[] {
  return (unlessGone(() => readdirSync(folder)) ?? []).toSorted().flatMap((name) => {
    const found = showQuarantined(folder, name);
    return found.ok ? [found.value] : [];
  });
}

export function showQuarantined(folder: string, turnId: string): Result<Quarantined> {
  const isId = /^[A-Za-z0-9-]+$/.test(turnId);
  const text = isId ? unlessGone(() => readFileSync(join(folder, turnId, "quarantine.json"), "utf8")) : undefined;
  if (text === undefined)
    return err(
      domainError(
        "NOT_FOUND",
        `no turn ${JSON.stringify(turnId)} is in quarantine; \`writ turn quarantine list\` names those that are`,
      ),
    );
  return ok(JSON.parse(text) as Quarantined);
}

export function dropFromQuarantine(folder: string, turnId: string): void {
  rmSync(join(folder, turnId), { recursive: true, force: true });
}

export function quarantinedFiles(folder: string, turnId: string): string {
  return join(folder, turnId, "files");
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EXDEV") throw thrown;
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  }
}
