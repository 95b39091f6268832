/** Takes text in pieces and gives what may be shown of it by now; `end` gives the rest. The log's redactor makes them. */
export interface TextFilter {
  push(piece: string): string;
  end(): string;
}

/** What an adapter pushes its pieces into on their way to whoever watches. */
export interface WatchedText {
  readonly push: (piece: string) => void;
  /** The call begins anew: what was held back of the broken answer is dropped. */
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
      if (!isOver) show(filter.push(piece)); // an adapter that was given up on may still speak
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
