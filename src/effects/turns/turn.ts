import type { SchemaRegistry, TurnRequestV1 } from "#core/contracts";
import type { Clock, Failpoint, IdSource, JsonValue, Result, Sha256 } from "#core/values";
import type { NamedFiles } from "#governance";
import type { Mandate } from "#governance/mandate";
import type { Recorder } from "#log";
import type { ProgramLayer } from "../programs/layered-program.ts";
import type { SkillSnapshots } from "../programs/skill-snapshots.ts";
import type { TurnLimits } from "../sandbox/limits.ts";
import type { TurnSandbox } from "../sandbox/turn-sandbox.ts";
import type { Capabilities } from "./capability/capabilities.ts";
import type { FileView } from "./layer/file-view.ts";
import type { OrderLayers } from "./layer/order-layers.ts";
import type { TurnStore } from "./turn-store.ts";

/** The code of a turn: a program, a module in a process of its own, or a function of this process, which is only observed. */
export type TurnHandler =
  | {
      readonly kind: "command";
      readonly command: readonly string[];
      /** Its standard input; the query by default. */
      readonly stdin?: string;
      /** The command line that was asked for, where another program starts it. */
      readonly asked?: readonly string[];
    }
  | { readonly kind: "module"; readonly module: string }
  /** A call to a server that runs already, in a sandbox and over a layer of its own. */
  | {
      readonly kind: "server";
      readonly server: string;
      readonly tool: string;
      readonly toolHash: Sha256;
      readonly layer: ProgramLayer;
      call(): Promise<Result<JsonValue>>;
    }
  | {
      readonly kind: "function";
      readonly name: string;
      /** It writes into a private folder in place of the workspace; its writes there are committed like those of any turn. */
      readonly layer?: true;
      run(request: TurnRequestV1, context: FunctionContext): Promise<JsonValue> | JsonValue;
    };

export interface FunctionContext {
  readonly root: string;
  /** The workspace as the order sees it. */
  readonly view: FileView;
  /** Folder that its writes are relative to: the workspace, or its layer. */
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
  /** Where the writes of orders gather; without it every turn lands by itself. */
  readonly layers?: OrderLayers;
  /** What sessions have started of skills: turns run their scripts from there. */
  readonly skillSnapshots?: SkillSnapshots;
  /** Files that the workspace's configuration names; no turn may write them. */
  readonly named?: NamedFiles;
  readonly failpoint?: Failpoint;
}

export interface TurnCall {
  readonly request: TurnRequestV1;
  readonly capabilities: Capabilities;
  readonly handler: TurnHandler;
  readonly recorder: Recorder;
  /** Files that lie in its scratch when it begins; dropped with it. */
  readonly scratchFiles?: readonly ScratchFile[];
  readonly limits?: Partial<TurnLimits>;
  readonly signal?: AbortSignal;
  /**
   * `declared` (default): the writes equal the declared outputs. `within_rights`: any path that its rights cover may be written,
   * for tools whose outputs are not known beforehand. `dropped`: any path may be written and no write is kept, for checks.
   */
  readonly writes?: "declared" | "within_rights" | "dropped";
  /** Why the network is off whatever the package was granted; undefined where its list of hosts applies. */
  readonly networkOff?: string | undefined;
  /** What the turn's order may do: it bounds what the turn sees, writes, starts and reaches. Absent: a turn of Writ's own. */
  readonly mandate?: Mandate;
}

export interface ScratchFile {
  readonly name: string;
  readonly text: string;
  /** The variable of the turn's environment that holds its path. */
  readonly variable: string;
}
