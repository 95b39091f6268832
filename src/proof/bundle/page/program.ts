/** The program of a bundle's page. The build joins it and all that it imports into one text, which every page carries. */
import type { ProofBundle } from "../bundle.ts";
import { type PageDocument, showBundle } from "./show-bundle.ts";
import { verifyBundle } from "./verify-bundle.ts";

declare const document: PageDocument;

const record = JSON.parse(document.getElementById("bundle")?.textContent ?? "null") as ProofBundle;
showBundle(document, record, verifyBundle(record));
