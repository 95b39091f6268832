/** Takes secrets out of what is about to be kept. Pure; knows no file and no clock. */
export type { RedactionPattern } from "./patterns.ts";
export { createRedactor, type Redaction, type Redactor, type RedactorOptions } from "./redactor.ts";
export type { RedactionStream } from "./stream.ts";
