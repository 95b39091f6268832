import { createRequire } from "node:module";

type Cel = typeof import("@bufbuild/cel");

// 150 ms and 127 files to load, so it is loaded with the first expression.
const require = createRequire(import.meta.url);
let loaded: Cel | undefined;

export function loadCel(): Cel {
  loaded ??= require("@bufbuild/cel") as Cel; // calling `require` again takes longer than planning an expression
  return loaded;
}
