import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createIds, isoTime, systemClock, systemRandom } from "#core/values";
import { type CleanUpOptions, cleanUp } from "./clean-up.ts";
import { keepInQuarantine } from "./quarantine/quarantine.ts";

const ids = createIds(systemClock, systemRandom);
const root = mkdtempSync("/var/tmp/writ-clean-");
afterEach(() => rmSync(root, { recursive: true, force: true }));
const hour = 3_600_000;

function scratch(hoursOld: number, bytes: number): string {
  const name = ids.sessionId();
  mkdirSync(join(root, "tmp", name, "deep"), { recursive: true });
  writeFileSync(join(root, "tmp", name, "deep/file"), Buffer.alloc(bytes));
  const at = (systemClock.now() - hoursOld * hour) / 1000;
  utimesSync(join(root, "tmp", name), at, at);
  return name;
}

function quarantined(hoursOld: number, bytes: number): string {
  const turn_id = ids.sortable("TRN");
  const about = { turn_number: 1, session_id: "SES", package_id: "PKG", code: "UNDECLARED_WRITE", message: "" };
  const at = isoTime(systemClock.now() - hoursOld * hour);
  keepInQuarantine(join(root, "quarantine"), root, { ...about, turn_id, at, declared: [], writes: [], bytes });
  return turn_id;
}

function clean(more: Partial<CleanUpOptions> = {}) {
  const keeping = { maxAgeMs: 24 * hour, maxBytes: 1_000 };
  return cleanUp({
    root,
    quarantine: join(root, "quarantine"),
    clock: systemClock,
    keepScratch: keeping,
    keepQuarantine: keeping,
    isOpen: () => false,
    ...more,
  });
}

test("what is too old goes, and then the oldest of what is too much", () => {
  const old = scratch(30, 1);
  const first = scratch(3, 600);
  const second = scratch(2, 600);
  const newest = scratch(1, 100);
  const stale = quarantined(30, 1);
  const large = quarantined(2, 999);
  const recent = quarantined(1, 100);
  mkdirSync(join(root, "tmp/mine"), { recursive: true });

  const cleaned = clean();
  expect(new Set(cleaned.scratch)).toEqual(new Set([old, first]));
  expect(new Set(cleaned.quarantined)).toEqual(new Set([stale, large]));
  expect(readdirSync(join(root, "tmp")).sort()).toEqual(["mine", second, newest].sort());
  expect(readdirSync(join(root, "quarantine"))).toEqual([recent]);
  expect(clean()).toEqual({ scratch: [], quarantined: [] });
});

test("the scratch of a session that is at work stays, and so do outputs", () => {
  const open = scratch(30, 5_000);
  mkdirSync(join(root, "output", open), { recursive: true });
  expect(clean({ isOpen: (id) => id === open }).scratch).toEqual([]);
  expect(clean().scratch).toEqual([open]);
  expect(existsSync(join(root, "output", open))).toBe(true);
});
