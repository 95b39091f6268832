import { expect } from "vitest";
import { repository } from "../support/writ.ts";

/**
 * Compares a text with its recording, byte for byte. A red pin asks "did you mean it?": `npx vitest run test/pins -u` records it anew,
 * and the difference is part of the commit.
 */
export async function pinned(file: string, text: string): Promise<void> {
  await expect(text).toMatchFileSnapshot(`${repository}test/pins/recorded/${file}`);
}

/** One name a line, under the heading that says what they are. */
export function listed(heading: string, names: Iterable<string>): string {
  return `# ${heading}\n${[...names].join("\n")}\n`;
}
