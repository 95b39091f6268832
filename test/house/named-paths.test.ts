import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../support/writ.ts";

/** Pages that lead a reader to files. `src/<place>/cli/NAME.ts` and patterns with a star stand for many and are left out. */
test.for(["docs/architecture.md", "docs/glossary.md", "CONTRIBUTING.md"])(
  "every path that %s names is there",
  (page) => {
    const text = readFileSync(join(repository, page), "utf8");
    const named = [...text.matchAll(/(?<![\w/<])(?:src|test|scripts|schemas|bin|docs)\/[\w./@-]+/g)]
      .map(([path]) => path.replace(/[.]$/, ""))
      .filter((path) => path !== "src/");
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  },
);
