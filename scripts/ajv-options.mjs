// The same strictness ahead of time and at run time (src/core/contracts/compile.ts says it again; a test compares the two).
// `ownProperties`: without it `{}` satisfies `required: ["constructor"]`. `discriminator`: a tagged union answers with
// the problems of the branch that was meant, not of all of them.
export const ajvOptions = {
  strict: true,
  strictRequired: false,
  allErrors: true,
  ownProperties: true,
  coerceTypes: false,
  useDefaults: false,
  verbose: true,
  allowUnionTypes: true,
  discriminator: true,
  messages: true,
};

const fieldNames = { type: "array", items: { type: "string" }, minItems: 1, uniqueItems: true };

/** The rule by which an event's ledger entries are derived; part of its payload contract. */
export const ledgerKeyword = {
  keyword: "x-ledger",
  metaSchema: {
    type: "object",
    required: ["exec"],
    additionalProperties: false,
    properties: {
      exec: { type: "string", pattern: "^[A-Z][A-Z0-9_]*$" },
      exec_fields: fieldNames,
      evidence_fields: fieldNames,
    },
  },
};
