/** Time that moves only when everything that could happen now has happened. */
export interface VirtualTime {
  now(): number;
  at(due: number, callback: () => void): () => void;
  /** Runs the next thing that is due, before `limit`; false when there is none. */
  step(limit: number): Promise<boolean>;
}

/** Coarse time makes things meet: a result that arrives in the very millisecond of its lease's end is no rarity then. */
const grain = 10;

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
  canceled: boolean;
}

export function createVirtualTime(): VirtualTime {
  const heap: Timer[] = [];
  let time = 0;
  let order = 0;
  const before = (a: Timer, b: Timer): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

  const push = (timer: Timer): void => {
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(timer, heap[parent] as Timer)) break;
      heap[at] = heap[parent] as Timer;
      at = parent;
    }
    heap[at] = timer;
  };

  const pop = (): Timer | undefined => {
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || top === last) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as Timer, heap[child] as Timer)) child += 1;
      if (!before(heap[child] as Timer, last)) break;
      heap[at] = heap[child] as Timer;
      at = child;
    }
    heap[at] = last;
    return top;
  };

  return {
    now: () => time,
    at(due, callback) {
      const timer: Timer = {
        due: Math.max(time, Math.ceil(due / grain) * grain),
        order: order++,
        callback,
        canceled: false,
      };
      push(timer);
      return () => {
        timer.canceled = true;
      };
    },
    async step(limit) {
      for (;;) {
        const top = heap[0];
        if (top === undefined || top.due > limit) return false;
        pop();
        if (top.canceled) continue;
        time = top.due;
        top.callback();
        await settled();
        return true;
      }
    },
  };
}

/** Lets every promise that can go on do so: a turn of the event loop empties the microtask queue. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
