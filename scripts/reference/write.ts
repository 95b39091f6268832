import { mkdirSync, writeFileSync } from "node:fs";
import { clientOperations, operationsFile } from "./client-operations.ts";
import { referencePages } from "./pages.ts";

const folder = new URL("../../docs/reference/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const { file, text } of await referencePages()) writeFileSync(new URL(file, folder), text);
writeFileSync(new URL(`../../${operationsFile}`, import.meta.url), clientOperations());
process.exit(0);
