import type { Screen } from "#core/terminal";
import { nameInLine, oneLine, row } from "#core/terminal";
import {
  callText,
  type Event,
  type EventKinds,
  type EventType,
  kindOf,
  type Pen,
  resultText,
  type Story,
  type TypedPayload,
} from "#log";

/** Tells a request: the lines that each of its events adds, in the order in which it happened. Most events add none. */
export class EventRenderer {
  readonly #screen: Screen;
  readonly #kinds: EventKinds;
  readonly #so: Story;

  constructor(screen: Screen, kinds: EventKinds) {
    this.#screen = screen;
    this.#kinds = kinds;
    this.#so = newStory(penOf(screen));
  }

  render(event: Event): readonly string[] {
    return this.#linesOf<EventType>(event).map((line) => row(this.#screen, line));
  }

  #linesOf<T extends EventType>({ type, payload }: TypedPayload<T>) {
    const story = kindOf(this.#kinds, type)?.story;
    return typeof story === "function" ? story(payload, this.#so) : [];
  }
}

function newStory(pen: Pen): Story {
  const used = new Map<string, { tokens: number; ms: number }>();
  return {
    wanted: new Map(),
    gate: undefined,
    speaker: "worker",
    hasRoles: false,
    isCycle: false,
    pen,
    use: (role, tokens, ms) => {
      const before = used.get(role) ?? { tokens: 0, ms: 0 };
      used.set(role, { tokens: before.tokens + tokens, ms: before.ms + ms });
    },
    bill: (role) => {
      const since = used.get(role);
      used.delete(role);
      if (!since) return "";
      return `${(since.ms / 1000).toFixed(1)} s  ${since.tokens.toLocaleString("en-US").padStart(6)} tok`;
    },
  };
}

function penOf({ red, yellow, green, dim, bold, sign }: Screen): Pen {
  const words = { call: callText, result: resultText, line: oneLine, name: nameInLine };
  return { red, yellow, green, dim, bold, arrow: sign.arrow, ...words };
}
