// From the contracts in schemas/ to code: TypeScript types, compiled validators, and the tables of what is shipped.
// Contracts are written once, as JSON; nothing generated is committed. `--check` writes nothing; `--schemas DIR` looks elsewhere.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import standaloneCode from "ajv/dist/standalone/index.js";
import { tables, types } from "./contract-types.mjs";
import { compileContracts, readContracts, sha256 } from "./contracts.mjs";
import { brokenPromises, readEnforcers, readRecords, unlistedContracts } from "./promises.mjs";
import { sharedFiles } from "./validator-files.mjs";
import { readPacks, valuePacks } from "./value-packs.mjs";

const { values: options } = parseArgs({
  options: { check: { type: "boolean", default: false }, schemas: { type: "string" } },
});
const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const validatorsDir = join(root, "generated", "validators");
const codeDir = join(root, "src", "core", "contracts", "generated");
const packsFile = join(root, "src", "governance", "values", "generated", "value-packs.ts");
const stamp = join(root, "generated", "fingerprint");

const schemas = options.schemas ?? join(root, "schemas");
const { contracts, problems } = readContracts(schemas);
// The sources are part of a promise: a file that no longer names what it enforces keeps it no longer.
if (existsSync(join(root, "src"))) {
  const enforcers = readEnforcers(schemas);
  problems.push(
    ...brokenPromises(contracts, enforcers, join(root, "src")),
    ...unlistedContracts(contracts, enforcers, readRecords(schemas)),
  );
}
const generators = [
  "generate.mjs",
  "contracts.mjs",
  "contract-types.mjs",
  "ajv-options.mjs",
  "validator-files.mjs",
  "value-packs.mjs",
].map((name) => readFileSync(join(here, name), "utf8"));
const packs = readPacks(join(root, "workflows", "policies", "values"));
const fingerprint = sha256(
  packs.map(({ text }) => text).join("") +
    contracts.map(({ id, sha256: hash, frozen }) => `${id} ${hash} ${frozen}\n`).join("") +
    generators.join(""),
);
const upToDate =
  existsSync(stamp) &&
  existsSync(join(codeDir, "types.ts")) &&
  existsSync(packsFile) &&
  readFileSync(stamp, "utf8") === fingerprint;
if (upToDate && problems.length === 0) process.exit(0);

const ajv = compileContracts(contracts, problems);
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
if (!options.check) await writeAll();

async function writeAll() {
  rmSync(join(root, "generated"), { recursive: true, force: true });
  mkdirSync(validatorsDir, { recursive: true });
  mkdirSync(codeDir, { recursive: true });
  const files = {};
  for (const { id } of contracts) (files[sharedFiles[id] ?? id] ??= {})[id] = id;
  for (const [file, ids] of Object.entries(files))
    writeFileSync(join(validatorsDir, `${file}.cjs`), standaloneCode(ajv, ids));
  writeFileSync(join(codeDir, "types.ts"), await types(contracts));
  writeFileSync(join(codeDir, "tables.ts"), tables(contracts, sharedFiles));
  mkdirSync(dirname(packsFile), { recursive: true });
  writeFileSync(packsFile, valuePacks(packs));
  writeFileSync(stamp, fingerprint);
}
