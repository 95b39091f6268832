// Reads schemas/ and says everything that is wrong with it at once.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { ajvOptions, ledgerKeyword } from "./ajv-options.mjs";

export function readContracts(folder) {
  const problems = [];
  const contracts = [];
  for (const part of ["", "events"]) {
    for (const name of readdirSync(join(folder, part)).sort()) {
      if (!name.endsWith(".json") || name === "frozen.json") continue;
      const file = `schemas/${part ? `${part}/` : ""}${name}`;
      const text = readFileSync(join(folder, part, name), "utf8");
      const contract = readContract(text, file, basename(name, ".json"), problems);
      if (!contract) continue;
      if (contracts.some((other) => other.id === contract.id))
        problems.push(`${file}: the id ${contract.id} is already taken`);
      else contracts.push({ ...contract, isEvent: part === "events" });
    }
  }
  const frozen = JSON.parse(readFileSync(join(folder, "frozen.json"), "utf8"));
  checkFrozen(contracts, frozen, problems);
  for (const contract of contracts) {
    contract.frozen = Object.hasOwn(frozen, contract.id);
    checkLedgerRule(contract, problems);
  }
  return { contracts, problems };
}

/** An Ajv that holds every contract; what it refuses goes to `problems`. */
export function compileContracts(contracts, problems) {
  const ajv = new Ajv2020({ ...ajvOptions, code: { source: true, lines: false, esm: false } });
  addFormats.default(ajv);
  ajv.addKeyword(ledgerKeyword);
  for (const { schema, file } of contracts) {
    try {
      ajv.addSchema(schema);
    } catch (thrown) {
      problems.push(`${file}: not a valid JSON Schema: ${thrown.message}`);
    }
  }
  for (const { id, file } of contracts) {
    try {
      ajv.getSchema(id);
    } catch (thrown) {
      problems.push(`${file}: not a valid JSON Schema: ${thrown.message}`);
    }
  }
  return ajv;
}

export function sha256(data) {
  return createHash("sha256").update(data).digest("hex");
}

function readContract(text, file, id, problems) {
  let schema;
  try {
    schema = JSON.parse(text);
  } catch (thrown) {
    problems.push(`${file}: ${thrown.message}`);
    return undefined;
  }
  if (schema.$id === undefined) problems.push(`${file}: it has no $id; expected "${id}" as in the file's name`);
  else if (schema.$id !== id)
    problems.push(`${file}: its $id is ${JSON.stringify(schema.$id)}, expected "${id}" as in the file's name`);
  if (!/_v[1-9][0-9]*$/.test(id)) problems.push(`${file}: a contract's name ends in its version, such as _v1`);
  if (typeof schema.title !== "string") problems.push(`${file}: it has no title; \`writ schema list\` shows one`);
  return { id, file, schema, sha256: sha256(text) };
}

function checkFrozen(contracts, frozen, problems) {
  for (const [id, expected] of Object.entries(frozen)) {
    const contract = contracts.find((each) => each.id === id);
    const next = id.replace(/_v(\d+)$/, (_, n) => `_v${Number(n) + 1}`);
    if (!contract)
      problems.push(
        `schemas: the frozen contract ${id} is gone; old sessions still need it to replay: put it back and add a v2 (${next}.json)`,
      );
    else if (contract.sha256 !== expected)
      problems.push(`${contract.file} is frozen and was changed: add a v2 (${next}.json) and leave this one as it was`);
  }
}

function checkLedgerRule({ file, schema, isEvent }, problems) {
  const rule = schema["x-ledger"];
  if (rule === undefined) return;
  if (!isEvent) problems.push(`${file}: x-ledger belongs to events only`);
  for (const field of [...(rule.exec_fields ?? []), ...(rule.evidence_fields ?? [])]) {
    if (!Object.hasOwn(schema.properties ?? {}, field))
      problems.push(`${file}: x-ledger names the field "${field}", which the payload does not have`);
    if (["event_id", "event_hash", "exec_hash"].includes(field))
      problems.push(`${file}: x-ledger may not name "${field}", which every entry carries already`);
  }
}
