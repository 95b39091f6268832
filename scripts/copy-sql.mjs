// The compiler copies no SQL: queries and migrations go beside their code in dist/, as they are.
import { cpSync, readdirSync } from "node:fs";

const source = new URL("../src/", import.meta.url);
const target = new URL("../dist/", import.meta.url);
for (const file of readdirSync(source, { recursive: true })) {
  if (file.endsWith(".sql")) cpSync(new URL(file, source), new URL(file, target));
}
