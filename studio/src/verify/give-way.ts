/** How long a page counts as moved after the last sign of it. */
const movedMs = 250;
/** What the proof waits between two slices meanwhile: on two processors it would else take one from the page's frames. */
const waitMs = 40;

/** A worker that gives way: while somebody scrolls it works in slices with waits between, and so still comes to its end. */
export class GiveWay {
  #movedAt = Number.NEGATIVE_INFINITY;
  readonly #hop = new MessageChannel();

  moved(): void {
    this.#movedAt = performance.now();
  }

  /** Between two slices of work: what was said to the worker is heard before it goes on. */
  async turn(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#hop.port1.onmessage = () => resolve();
      this.#hop.port2.postMessage(null);
    });
    if (performance.now() - this.#movedAt < movedMs) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
