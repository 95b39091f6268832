import { expect, test } from "vitest";
import { halted, start, temporaryFolder, testLog, value } from "../../../test/support/log.ts";
import { JournalScans } from "./journal-scans.ts";
import { findSegments } from "./session-paths.ts";

test("each look reads on from the last, and whoever still reads keeps what was found", async () => {
  const root = temporaryFolder();
  const log = testLog(root);
  const one = value(await log.create({ tier: "ho1" }));
  const two = value(await log.create({ tier: "ho1" }));
  for (const session of [one, two]) value(await session.append(start));
  const journals = { root, scans: new JournalScans() };
  const lines = (found: Awaited<ReturnType<typeof findSegments>>) => (value(found).segments[0]?.ranges.length ?? 0) / 2;
  const early = await findSegments(journals, one.session_id);
  value(await one.append(halted("later")));
  const [late, other] = await Promise.all([one, two].map(({ session_id }) => findSegments(journals, session_id)));
  expect([early, late, other].map((found) => found && lines(found))).toEqual([1, 2, 1]);
  value(early).close();
  expect(value(late as typeof early).segments[0]?.journal.fd).not.toBe(value(early).segments[0]?.journal.fd);
  for (const found of [late, other]) if (found) value(found).close();
  value(await log.shutdown());
  expect(value(await findSegments(journals, one.session_id)).segments).toEqual([]); // its journal has gone
});

test("one look at a time, and one that fails keeps no other from looking", async () => {
  const scans = new JournalScans();
  const order: string[] = [];
  const failing = scans.look(async () => {
    order.push("first begins");
    await Promise.resolve();
    order.push("first ends");
    throw new Error("no");
  });
  const second = scans.look(async () => order.push("second"));
  await expect(failing).rejects.toThrow("no");
  await second;
  expect(order).toEqual(["first begins", "first ends", "second"]);
});
