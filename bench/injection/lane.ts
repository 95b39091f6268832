/** A process of its own in which pieces are played, one after the other: whatever it loaded stays warm. */
import { openDesk } from "./desk.ts";
import type { PieceOrder } from "./lanes.ts";
import { playCases } from "./play-cases.ts";

process.on("message", ({ tools, values, cases }: PieceOrder) => {
  void (async () => {
    await using desk = await openDesk(tools, values);
    const results = [...(await playCases(desk, cases)).values()];
    const records = await desk.verifyAll();
    process.send?.({ results, records });
  })().catch((error: unknown) => {
    process.send?.({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  });
});
