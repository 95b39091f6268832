/** The error codes of the outside contract, and what each means to a person. */
export { codeOfError, isMissing } from "./code-of-error.ts";
export { type DomainError, domainError, messageOf } from "./domain-error.ts";
export { type ErrorCode, errorCodes } from "./error-codes.ts";
export { remedyFor } from "./remedy-for.ts";
