import { lstatSync } from "node:fs";
import type { Clock } from "#core/values";
import type { LayeredProgram } from "../programs/layered-program.ts";
import type { FileView } from "../turns/layer/file-view.ts";
import type { ServedSession, ServerProgram } from "./server-program.ts";

/** A client of a session's server process, which ends with it. */
interface Closable {
  close(): Promise<void>;
}

/**
 * The processes of one server that sees the workspace, one for each session: it sees what its session has written and what
 * its order may read, and what it writes is a turn of that session. A process is used until another tool writes what it would not see.
 */
export interface SessionServers<Server extends Closable> {
  of(session: ServedSession): SessionServer<Server>;
  close(): Promise<void>;
}

export interface SessionServer<Server extends Closable> {
  readonly server: Server;
  /** The process that was started last; undefined before the first start. */
  readonly program: LayeredProgram | undefined;
  /** Runs one call at a time: what a call wrote is read from the layer after it. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** The session has taken over what lies in the layer; `written` are the paths. */
  settled(written: readonly string[]): void;
  /** The session has refused what lies in the layer: the next call gets a new process with an empty layer. */
  discard(): void;
}

export interface SessionServersOptions<Server extends Closable> {
  readonly make: (program: ServerProgram, session: ServedSession) => Server;
  readonly program: ServerProgram;
  readonly viewOf: (session_id: string) => FileView;
  readonly clock: Clock;
}

const mostProcesses = 8;
const idleMs = 60_000;

export function sessionServers<Server extends Closable>(
  options: SessionServersOptions<Server>,
): SessionServers<Server> {
  const open = new Map<string, Served<Server>>();
  const leaving = new Set<Promise<void>>();
  const drop = (session_id: string, served: Served<Server>) => {
    if (open.get(session_id) === served) open.delete(session_id);
    const closing = served.close().finally(() => leaving.delete(closing));
    leaving.add(closing);
  };
  return {
    of(session) {
      const { session_id, mandate } = session;
      const known = open.get(session_id);
      if (known && known.mandate === mandate && known.isCurrent()) {
        open.delete(session_id);
        open.set(session_id, known); // the last one is the one that was used last
        known.rest(() => drop(session_id, known));
        return known;
      }
      if (known) drop(session_id, known);
      const fresh = new Served(options, session);
      open.set(session_id, fresh);
      fresh.rest(() => drop(session_id, fresh));
      for (const [id, served] of [...open].slice(0, Math.max(0, open.size - mostProcesses))) drop(id, served);
      return fresh;
    },
    async close() {
      for (const [id, served] of open) drop(id, served);
      await Promise.all(leaving);
    },
  };
}

class Served<Server extends Closable> implements SessionServer<Server> {
  readonly server: Server;
  readonly mandate: ServedSession["mandate"];
  program: LayeredProgram | undefined;
  readonly #viewOf: () => FileView;
  readonly #clock: Clock;
  #stamps = new Map<string, string>();
  #seen: string;
  #isDiscarded = false;
  #cancelRest = () => {};
  #last: Promise<unknown> = Promise.resolve();
  #underWay = 0;

  constructor({ make, program, viewOf, clock }: SessionServersOptions<Server>, session: ServedSession) {
    this.mandate = session.mandate;
    this.#viewOf = () => viewOf(session.session_id); // a session that is taken up again has another
    this.#clock = clock;
    this.#seen = changesOf(this.#viewOf());
    const start = async () => {
      this.#seen = changesOf(this.#viewOf());
      this.#stamps = new Map();
      const started = await program.start(session);
      if (started.ok) this.program = started.value;
      return started;
    };
    this.server = make({ start }, session);
  }

  /** False once its session, or another process, wrote what this process does not see. */
  isCurrent(): boolean {
    if (this.#underWay > 0) return true; // the call that is under way decides
    if (this.#isDiscarded || this.program?.isStale?.() === true || this.#seen !== changesOf(this.#viewOf()))
      return false;
    return [...this.#stamps].every(([path, stamp]) => stamp === stampOf(this.#viewOf(), path));
  }

  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined); // its own caller gets the failure
    try {
      return await mine;
    } finally {
      this.#underWay -= 1;
    }
  }

  settled(written: readonly string[]): void {
    this.#seen = changesOf(this.#viewOf());
    for (const path of written) this.#stamps.set(path, stampOf(this.#viewOf(), path));
  }

  discard(): void {
    this.#isDiscarded = true;
  }

  rest(drop: () => void): void {
    this.#cancelRest();
    this.#cancelRest = this.#clock.after(idleMs, () => (this.#underWay > 0 ? this.rest(drop) : drop()));
  }

  async close(): Promise<void> {
    this.#cancelRest();
    await this.#last;
    await this.server.close();
  }
}

/** Which commits the view of a session consists of. */
function changesOf(view: FileView): string {
  return view.changed.map((path) => `${path}\0${view.commitOf(path) ?? 0}`).join("\n");
}

function stampOf(view: FileView, path: string): string {
  const stat = lstatSync(view.at(path), { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "absent" : [stat.ino, stat.size, stat.mtimeNs, stat.mode].join(":");
}
