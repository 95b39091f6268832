import type { ProviderKindSpec } from "../provider-kind.ts";

/** Code of the program that opened the workspace; `model` names which. No server is asked by Writ itself. */
export const program: ProviderKindSpec<"program"> = { id: "program", defaultModel: null, vendor: null };
