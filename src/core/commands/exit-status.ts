import type { DomainError } from "../errors/domain-error.ts";

/** The outside contract: scripts rely on these numbers. */
export type ExitStatus = 0 | 1 | 2 | 3 | 4 | 130 | 143;

interface NamedStatuses {
  readonly done: 0;
  readonly failed: 1;
  readonly usage: 2;
  readonly refused: 3;
  readonly waiting: 4;
  readonly interrupted: 130;
  readonly terminated: 143;
}

export const exitStatus: NamedStatuses = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  waiting: 4,
  interrupted: 130,
  terminated: 143,
};

/** The status of a command that ended on a signal: 130 after Ctrl-C, 143 after SIGTERM from a supervisor. */
export function statusOfAbort(signal: AbortSignal): ExitStatus {
  return signal.reason === "SIGTERM" ? exitStatus.terminated : exitStatus.interrupted;
}

/** The status of an expected failure; its kind decides. */
export function exitStatusOf(error: DomainError): ExitStatus {
  switch (error.kind) {
    case "input":
      return 2;
    case "gate":
    case "budget":
      return 3;
    case "doubt":
      return 4;
    case "schema":
    case "agent":
    case "turn":
    case "provider":
    case "tool":
    case "lock":
    case "log":
    case "store":
    case "internal":
    case "canceled":
      return 1;
  }
}
