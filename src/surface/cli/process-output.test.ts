import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { processOutput } from "./process-output.ts";

test("a command that writes much waits for its reader, and for none that is gone", async () => {
  const stream = new PassThrough({ highWaterMark: 10 });
  const output = processOutput(stream);
  expect(output.drained?.()).toBeUndefined();
  output.write("more than ten bytes");
  const drained = output.drained?.();
  expect(drained).toBeInstanceOf(Promise);
  expect(output.drained?.()).toBe(drained);
  stream.read();
  await drained;
  expect(output.drained?.()).toBeUndefined();
  output.write("and again more than ten");
  const waiting = output.drained?.();
  stream.emit("error", Object.assign(new Error("closed"), { code: "EPIPE" }));
  await waiting;
  output.write("nobody reads this, and nobody waits for it");
  expect(output.drained?.()).toBeUndefined();
});
