import type { Chance } from "./chance.ts";

/** How bad a world is. Drawn per seed, so that some worlds are calm, some drop every third message, some crash all the time. */
export interface Faults {
  readonly lostRequest: number;
  readonly lostAnswer: number;
  readonly duplicated: number;
  readonly delayMs: number;
  readonly crashBeforeCommit: number;
  readonly crashAfterCommit: number;
  readonly crash: number;
  readonly powerLoss: number;
  readonly pause: number;
  readonly busy: number;
  readonly full: number;
  readonly clockJump: number;
  readonly skewMs: number;
  readonly lostWakeUp: number;
  readonly badApp: number;
  readonly badWorker: number;
}

export function drawFaults(chance: Chance): Faults {
  const some = (most: number): number => (chance.hit(0.4) ? chance.next() * most : 0);
  return {
    lostRequest: some(0.2),
    lostAnswer: some(0.2),
    duplicated: some(0.3),
    delayMs: chance.hit(0.5) ? chance.int(150) : 3,
    crashBeforeCommit: some(0.05),
    crashAfterCommit: some(0.05),
    crash: some(0.5),
    powerLoss: some(0.2),
    pause: some(0.6),
    busy: some(0.2),
    full: some(0.1),
    clockJump: some(0.2),
    skewMs: chance.hit(0.5) ? 0 : chance.int(2_000),
    lostWakeUp: some(1),
    badApp: some(0.5),
    badWorker: some(0.5),
  };
}

export const noFaults: Faults = {
  lostRequest: 0,
  lostAnswer: 0,
  duplicated: 0,
  delayMs: 1,
  crashBeforeCommit: 0,
  crashAfterCommit: 0,
  crash: 0,
  powerLoss: 0,
  pause: 0,
  busy: 0,
  full: 0,
  clockJump: 0,
  skewMs: 0,
  lostWakeUp: 0,
  badApp: 0,
  badWorker: 0,
};
