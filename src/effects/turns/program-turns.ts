import type { TurnResultV1 } from "#core/contracts";
import { err, ok, type Result } from "#core/values";
import type { Mandate } from "#governance/mandate";
import type { Recorder } from "#log";
import type { RunTurn } from "../tools/builtin/exec.ts";
import type { WriteTurn } from "../tools/builtin/fs-write.ts";
import { executeTurn } from "./execute-turn.ts";
import { type ScratchFile, type TurnCall } from "./turn.ts";
import { nextTurnNumber } from "./turn-number.ts";
import type { TurnService } from "./turn-service.ts";
import { asDomainError, writeFileTurn } from "./write-file-turn.ts";

type OpenTurnService = () => Promise<Result<TurnService>>;

interface ProgramTurn extends Pick<TurnCall, "writes" | "mandate" | "signal" | "scratchFiles"> {
  readonly packageId: string;
  readonly command: readonly string[];
  readonly asked?: readonly string[];
  readonly stdin?: string;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly recorder: Recorder;
}

/** Runs a program as a turn, in a session that is already open. */
async function runProgram(openService: OpenTurnService, turn: ProgramTurn): Promise<Result<TurnResultV1>> {
  const service = await openService();
  if (!service.ok) return service;
  return ok(
    await executeTurn(service.value.deps, {
      recorder: turn.recorder,
      capabilities: { read: ["**"], write: ["**"], execute: ["**"] },
      handler: {
        kind: "command",
        command: turn.command,
        stdin: turn.stdin ?? "",
        ...(turn.asked ? { asked: turn.asked } : {}),
      },
      request: {
        package_id: turn.packageId,
        turn_number: nextTurnNumber(turn.recorder),
        query: {},
        declared_inputs: [],
        declared_outputs: [],
      },
      limits: { ...service.value.limits, timeoutMs: turn.timeoutMs, outputBytes: turn.outputBytes },
      writes: turn.writes ?? "dropped",
      ...(turn.scratchFiles ? { scratchFiles: turn.scratchFiles } : {}),
      ...(turn.mandate ? { mandate: turn.mandate } : {}),
      ...(turn.signal ? { signal: turn.signal } : {}),
    }),
  );
}

/** `exec` as a turn: writes within the caller's grants are kept; one write outside them discards all of them. */
export function execAsTurn(openService: OpenTurnService): RunTurn {
  return async (request, context) => {
    const started =
      request.cwd === context.root ? [] : ["/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", request.cwd];
    const ran = await runProgram(openService, {
      packageId: "PKG-WRIT-EXEC",
      command: [...started, ...request.command],
      asked: request.command,
      ...(request.stdin === undefined ? {} : { stdin: String(request.stdin) }),
      timeoutMs: request.timeoutMs,
      outputBytes: request.maxOutputBytes,
      recorder: context.recorder,
      writes: "within_rights",
      mandate: context.mandate,
      ...(request.signal ? { signal: request.signal } : {}),
    });
    if (!ran.ok) return ran;
    const { error, result, duration_ms } = ran.value;
    const said = (result ?? {}) as { exit_code?: number; stdout?: string; stderr?: string };
    const outcome = { stdout: said.stdout ?? "", stderr: said.stderr ?? "", durationMs: duration_ms ?? 0 };
    // A non-zero exit status is the program's answer. A forbidden write is an error.
    if (error === null || (error.code === "TURN_FAILED" && said.exit_code !== undefined))
      return ok({ ...outcome, end: { kind: "exited", code: said.exit_code ?? 0 } });
    if (error.code === "TIMEOUT") return ok({ ...outcome, end: { kind: "timed_out" } });
    if (error.code === "CANCELED") return ok({ ...outcome, end: { kind: "canceled" } });
    return err(asDomainError(error));
  };
}

/** `fs.write` as a turn. It runs no code of a model, so it needs no sandbox. */
export function writeAsTurn(openService: OpenTurnService): WriteTurn {
  return async (write) => {
    const service = await openService();
    return service.ok ? writeFileTurn(service.value.deps, write) : service;
  };
}

/** A criterion of an order that is a program. */
export interface AcceptanceCheck {
  readonly command: readonly string[];
  /** The facts that it judges, as a JSON document. */
  readonly stdin: string;
  readonly scratchFiles: readonly ScratchFile[];
  /** It sees what the order may read. */
  readonly mandate: Mandate;
  readonly recorder: Recorder;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Applied to what it printed before that is cut: the end of a key alone looks like any other word. */
  readonly redact: <T>(value: T) => T;
}

export interface CheckOutcome {
  readonly passed: boolean;
  readonly message: string;
  /** Absent where it was killed. */
  readonly exit_code?: number;
  /** The end of what it printed. */
  readonly stdout: string;
  readonly stderr: string;
}

const checkOutputBytes = 1024 * 1024;
/** The result of an order keeps this many characters of what each criterion printed. */
const keptCharacters = 2000;

/** An acceptance command as a turn: it sees what the order may read, may write anything, and none of its writes are kept. */
export async function checkAsTurn(openService: OpenTurnService, check: AcceptanceCheck): Promise<Result<CheckOutcome>> {
  const ran = await runProgram(openService, {
    ...check,
    packageId: "PKG-WRIT-ACCEPTANCE",
    mandate: startingCriteria(check.mandate),
    outputBytes: checkOutputBytes,
    writes: "dropped",
  });
  if (!ran.ok) return ran;
  const { error, result } = ran.value;
  // Refused before it ran: there is no status and nothing printed to judge by.
  if (error !== null && result === null) return err(asDomainError(error));
  const { exit_code, stdout, stderr } = (result ?? {}) as { exit_code?: number; stdout?: string; stderr?: string };
  return ok({
    passed: error === null,
    message: error === null ? "ended with status 0" : whyFailed(error, check.timeoutMs),
    ...(exit_code === undefined ? {} : { exit_code }),
    stdout: endOf(check.redact(stdout)),
    stderr: endOf(check.redact(stderr)),
  });
}

/** The order names its criteria itself, so that they are started is granted there; all else is as for its other programs. */
function startingCriteria(mandate: Mandate): Mandate {
  const named = { document: `work order ${mandate.document.work_order_id}`, path: "acceptance" };
  return {
    ...mandate,
    decide: (act) =>
      act.kind === "program"
        ? { allowed: true, clauses: [named], reason: "the order names it as a criterion" }
        : mandate.decide(act),
  };
}

function whyFailed({ code, message }: { readonly code: string; readonly message: string }, timeoutMs: number): string {
  if (code === "TIMEOUT") return `TIMEOUT: it did not end within ${timeoutMs / 1000} s and was killed`;
  return code === "TURN_FAILED" ? message : `${code}: ${message}`;
}

function endOf(text = ""): string {
  return text.length > keptCharacters ? `…${text.slice(-keptCharacters)}`.toWellFormed() : text;
}
