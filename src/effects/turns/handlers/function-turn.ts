import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TurnRequestV1 } from "#core/contracts";
import type { JsonValue } from "#core/values";
import { resolvePath } from "../capability/resolve-path.ts";
import type { FunctionContext, TurnHandler } from "../turn.ts";

/** What the function of a turn works with. Nothing holds the function itself: what it writes elsewhere is not part of the turn. */
export interface TurnAbout {
  readonly session_id: string;
  /** A private folder in the workspace's place: what lies in it when the function ends is compared with what the turn declared. */
  readonly writeDir: string;
  /** The same for `output/<session_id>`. */
  readonly outputDir: string;
  /** Dropped with the turn. */
  readonly scratchDir: string;
  readonly signal: AbortSignal;
  /** A declared input, as the turn's order sees it. */
  read(path: string): Uint8Array;
  /** Writes below `writeDir`; folders are made. `<session_id>` stands for the session's id. */
  write(path: string, content: string | Uint8Array): void;
}

/** The code of a turn that is a function of the embedding program. What it throws is the failure of the turn. */
export type TurnFunction = (
  request: TurnRequestV1,
  about: TurnAbout,
) => JsonValue | undefined | Promise<JsonValue | undefined>;

export function functionTurn(name: string, run: TurnFunction): Extract<TurnHandler, { readonly kind: "function" }> {
  return {
    kind: "function",
    name,
    layer: true,
    run: async (request, context) => (await run(request, aboutOf(request, context))) ?? null,
  };
}

function aboutOf({ declared_inputs }: TurnRequestV1, context: FunctionContext): TurnAbout {
  const { root, view, writeDir, sessionId, outputDir, scratchDir, signal } = context;
  const resolved = (asked: string): string => {
    const path = resolvePath(root, asked.replaceAll("<session_id>", sessionId));
    if (!path.ok) throw new Error(path.error.message);
    return path.value.path;
  };
  const inputs = declared_inputs.map(({ path }) => resolved(path));
  const isDeclared = (path: string) => inputs.some((input) => path === input || path.startsWith(`${input}/`));
  mkdirSync(scratchDir, { recursive: true });
  return {
    session_id: sessionId,
    writeDir,
    outputDir,
    scratchDir,
    signal,
    read(asked) {
      const path = resolved(asked);
      if (!isDeclared(path)) throw new Error(`${asked} is none of the turn's declared inputs`);
      return readFileSync(view.at(path));
    },
    write(asked, content) {
      const place = join(writeDir, resolved(asked));
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, content);
    },
  };
}
