import { mkdirSync, writeFileSync } from "node:fs";
import { referencePages } from "./pages.ts";

const folder = new URL("../../docs/reference/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const { file, text } of await referencePages()) writeFileSync(new URL(file, folder), text);
process.exit(0);
