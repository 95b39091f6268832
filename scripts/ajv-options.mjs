// The same strictness ahead of time and at run time. `ownProperties`: without it `{}` satisfies `required: ["constructor"]`.
export const ajvOptions = {
  strict: true,
  strictRequired: false,
  allErrors: true,
  ownProperties: true,
  coerceTypes: false,
  useDefaults: false,
  verbose: true,
  allowUnionTypes: true,
  messages: true,
  keywords: ["x-ledger"], // data for the derivation of the ledgers, no constraint
};
