import type { SchemaRegistry, TurnRequestV1 } from "#core/contracts";
import type { Clock, Failpoint, IdSource, JsonValue } from "#core/values";
import type { NamedFiles } from "#governance";
import type { Recorder } from "#log";
import type { TurnLimits } from "../sandbox/limits.ts";
import type { TurnSandbox } from "../sandbox/turn-sandbox.ts";
import type { Capabilities, Operation } from "./capability/capabilities.ts";
import type { TurnStore } from "./turn-store.ts";

/** What a turn runs: a program, a module in a process of its own, or a function of this process, which is only observed. */
export type TurnHandler =
  | {
      readonly kind: "command";
      readonly command: readonly string[];
      /** What it reads on standard input; the query unless told. */
      readonly stdin?: string;
    }
  | { readonly kind: "module"; readonly module: string }
  | {
      readonly kind: "function";
      readonly name: string;
      /** It writes into a private folder that stands for the workspace, and what it wrote there is committed like any turn's. */
      readonly layer?: true;
      run(request: TurnRequestV1, context: FunctionContext): Promise<JsonValue> | JsonValue;
    };

export interface FunctionContext {
  readonly root: string;
  /** What its paths are relative to when it writes: the workspace, or its layer. */
  readonly writeDir: string;
  readonly sessionId: string;
  readonly outputDir: string;
  readonly scratchDir: string;
  readonly signal: AbortSignal;
}

export interface TurnDeps {
  readonly root: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly schemas: SchemaRegistry;
  readonly sandbox: TurnSandbox;
  readonly store: TurnStore;
  /** What the workspace's configuration names, which no turn writes. */
  readonly named?: NamedFiles;
  readonly failpoint?: Failpoint;
}

export interface TurnCall {
  readonly request: TurnRequestV1;
  readonly capabilities: Capabilities;
  readonly handler: TurnHandler;
  readonly recorder: Recorder;
  readonly limits?: Partial<TurnLimits>;
  readonly signal?: AbortSignal;
  /**
   * `declared` (unless told): what is written equals what was declared. `within_rights`: whatever its rights cover may be written,
   * for tools whose outputs nobody can name beforehand. `dropped`: it may write what it likes, and none of it is kept, for checks.
   */
  readonly writes?: "declared" | "within_rights" | "dropped";
  /** Why nothing may be reached whatever the package was granted; undefined where its list of hosts holds. */
  readonly networkOff?: string | undefined;
  /** Further rights that must agree, such as the work order's scope: why not, or undefined. */
  readonly alsoDeny?: (operation: Operation, path: string) => string | undefined;
}
