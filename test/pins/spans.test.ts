// The spans that a session becomes, by name and attributes: dashboards of other people read them.
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { expect, test } from "vitest";
import { SessionSpans } from "../../src/operate/telemetry/session-spans.ts";
import { listed, pinned } from "./pinned.ts";
import { openHouse } from "./recorded-house.ts";

test("spans of recorded sessions have the recorded names, kinds and attributes", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const house = await openHouse("files");
  await house.inside(async ({ log }) => {
    for (const name of ["greeted", "meeting", "tidied", "spoiled", "refused", "resolved", "handed down"]) {
      const spans = new SessionSpans(provider.getTracer("pins"), { withContent: true });
      for await (const event of log.read(house.session(name))) {
        if (!event.ok) throw new Error(event.error.message);
        spans.see(event.value);
      }
      spans.end();
    }
  });
  house.close();
  const lines = exporter.getFinishedSpans().map(({ name, kind, attributes }) => {
    return `${name} (kind ${kind}): ${Object.keys(attributes).toSorted().join(", ")}`;
  });
  await provider.shutdown();
  expect(lines.length).toBeGreaterThan(20);
  await pinned("spans.txt", listed("Spans: name, kind, attributes", [...new Set(lines)].toSorted()));
});
