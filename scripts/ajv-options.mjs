// The same strictness ahead of time and at run time. `ownProperties`: without it `{}` satisfies `required: ["constructor"]`.
export const ajvOptions = {
  strict: true,
  strictRequired: false,
  allErrors: true,
  ownProperties: true,
  coerceTypes: false,
  discriminator: true,
  useDefaults: false,
  verbose: true,
  allowUnionTypes: true,
  messages: true,
};
