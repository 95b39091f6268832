/** Takes text in chunks and returns the part that may be shown by now; `end` returns the rest. Made by the log's redactor. */
export interface TextFilter {
  push(piece: string): string;
  end(): string;
}

/** An adapter pushes its chunks here; the filtered text goes to the listener. */
export interface WatchedText {
  readonly push: (piece: string) => void;
  /** The call starts over: text of the broken answer that was held back is dropped. */
  restart(): void;
  end(isWhole: boolean): void;
}

export function watchText(onText: (delta: string) => void, createFilter: () => TextFilter): WatchedText {
  let filter = createFilter();
  let isOver = false;
  const show = (text: string) => {
    if (text !== "") onText(text);
  };
  return {
    push: (piece) => {
      if (!isOver) show(filter.push(piece)); // an adapter that timed out may still push
    },
    restart: () => {
      filter = createFilter();
    },
    end: (isWhole) => {
      if (!isOver && isWhole) show(filter.end());
      isOver = true;
    },
  };
}
