import type { Recorder } from "#log";

const numbers = new WeakMap<Recorder, number>();

/** The number of the next turn that Writ itself orders in a session. */
export function nextTurnNumber(recorder: Recorder): number {
  const session = recorder.over ?? recorder;
  const number = (numbers.get(session) ?? 0) + 1;
  numbers.set(session, number);
  return number;
}
