/** A step of the wall clock that a process noticed. Leases, turns and pauses were moved along: none expired by it. */
export interface ClockStep {
  readonly noticed_at: number;
  readonly by_ms: number;
  /** `set`: it was set, or the machine slept. `restart`: it was behind after a restart. `two_machines`: two boots use the file at once. */
  readonly cause: "set" | "restart" | "two_machines";
}

export function sayClockStep({ by_ms, cause }: ClockStep): string {
  const far = `${sayFar(Math.abs(by_ms))} ${by_ms < 0 ? "back" : "forward"}`;
  switch (cause) {
    case "set":
      return `the wall clock of this machine went ${far} (it was set${by_ms > 0 ? ", or the machine slept" : ""}); leases and pauses count on as if it had not`;
    case "restart":
      return `the wall clock of this machine is ${sayFar(-by_ms)} behind what it was before the restart; leases and pauses count on as if it were not`;
    case "two_machines":
      return "two machines (or containers with a kernel of their own) use this store at once, and SQLite has no clock for both: leases count by their wall clocks; use PostgreSQL (`store` in writ.yaml)";
  }
}

function sayFar(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
