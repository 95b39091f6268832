import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import type { JsonObject } from "#core/values";
import type { NamedCase } from "./cases.ts";
import type { Tool } from "./corpus.ts";
import type { Piece } from "./play-cases.ts";

/** Cases that are played in one fresh workspace, whose sessions are all verified in the end. */
export interface PieceOrder {
  readonly tools: readonly Tool[];
  /** Null: the control run, which judges no values. */
  readonly values: JsonObject | null;
  readonly cases: readonly NamedCase[];
}

type Answer = Piece | { readonly failed: string };

/** So many sessions lie in one workspace; as much is played again after an interruption. */
const pieceSize = 40;

export function piecesOf<Order extends PieceOrder>(order: Order): readonly Order[] {
  const pieces: Order[] = [];
  for (let from = 0; from < order.cases.length; from += pieceSize)
    pieces.push({ ...order, cases: order.cases.slice(from, from + pieceSize) });
  return pieces;
}

/**
 * Plays pieces in so many processes at once and hands each out as it is done. Workspaces lie in memory where the machine has a
 * folder for that: two thirds of the time of a session was waiting for the disk, and nothing here asks how durable they are.
 */
export async function playPieces<Order extends PieceOrder>(
  orders: readonly Order[],
  lanes: number,
  done: (order: Order, piece: Piece) => void,
): Promise<void> {
  const waiting = [...orders];
  const playAll = async (): Promise<void> => {
    const lane = fork(new URL("./lane.ts", import.meta.url), {
      env: { ...process.env, TMPDIR: inMemory() ?? tmpdir() },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    try {
      for (let order = waiting.shift(); order; order = waiting.shift()) done(order, await play(lane, order));
    } finally {
      if (lane.exitCode === null) {
        const gone = once(lane, "exit");
        lane.kill();
        await gone;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, orders.length) }, playAll));
}

async function play(lane: ChildProcess, { tools, values, cases }: PieceOrder): Promise<Piece> {
  const ended = new AbortController();
  const over = once(lane, "exit", { signal: ended.signal }).then((): Answer => ({ failed: "its process ended" }));
  over.catch(() => {});
  lane.send({ tools, values, cases });
  const answered = once(lane, "message", { signal: ended.signal }).then(([answer]) => answer as Answer);
  answered.catch(() => {});
  const answer = await Promise.race([answered, over]);
  ended.abort();
  if ("failed" in answer) throw new Error(`the piece from ${cases[0]?.id} was not played: ${answer.failed}`);
  return answer;
}

function inMemory(): string | undefined {
  try {
    accessSync("/dev/shm", constants.W_OK);
    return "/dev/shm";
  } catch {
    return undefined;
  }
}
