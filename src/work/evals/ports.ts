import type { EvalReportV1 } from "#core/contracts";
import type { Clock, JsonObject, Result } from "#core/values";
import type { FlowResult } from "../flow/execution-context.ts";

type Repeat = EvalReportV1["cases"][number]["repeats"][number];
export type Grade = Repeat["grades"][number];

export interface ModelQuestion {
  readonly rubric: string;
  readonly input: JsonObject;
  readonly answer: string;
  readonly expected?: unknown;
  readonly profile?: string;
}

/** What runs a suite. Each call has its own work order and session. */
export interface EvalPorts {
  readonly clock: Clock;
  /** Runs one case like any request. */
  submit(
    wanted: {
      readonly input: JsonObject;
      readonly skill?: string;
      readonly profile?: string;
      readonly order?: JsonObject;
    },
    signal: AbortSignal,
  ): Promise<Result<FlowResult>>;
  validate(schema_id: string, value: unknown): Result<unknown>;
  /** Runs a program as a sandboxed turn with the answer on its standard input; exit status 0 passes. */
  runCommand(
    command: readonly string[],
    options: { readonly stdin: string; readonly timeoutSeconds: number },
    signal: AbortSignal,
  ): Promise<Result<{ readonly exit: number; readonly said: string; readonly session_id: string | null }>>;
  askModel(
    question: ModelQuestion,
    signal: AbortSignal,
  ): Promise<Result<{ readonly score: number; readonly reason: string; readonly session_id: string | null }>>;
}
