import { ok, type Result } from "#core/values";
import type { RawLine } from "./event-log.ts";
import type { LinePortion } from "./read-events.ts";

/** Lines with their numbers, unverified, for callers that examine them. */
export async function* rawLines(
  portions: AsyncIterable<Result<LinePortion>>,
): AsyncGenerator<Result<readonly RawLine[]>> {
  let number = 0;
  for await (const portion of portions) {
    if (!portion.ok) {
      yield portion;
      return;
    }
    const { texts, fault } = portion.value;
    yield ok(
      texts.map((text, index) => ({ text, number: ++number, fault: index === texts.length - 1 ? fault : undefined })),
    );
  }
}
