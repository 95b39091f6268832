import { argumentListFinders } from "./argument-list.ts";
import { commandLineFinders } from "./command-line.ts";
import { connectionStringFinders } from "./connection-string.ts";
import { cookieFinder } from "./cookie.ts";
import { credentialFinders } from "./credentials.ts";
import type { Finder } from "./finder.ts";
import { jsonWebKeyFinders } from "./json-web-key.ts";
import { jsonWebTokenFinder } from "./json-web-token.ts";
import { privateKeyFinder } from "./private-key.ts";
import { puttyKeyFinder } from "./putty-key.ts";
import { vendorKeyFinders, vendorKinds } from "./vendor-keys.ts";

/**
 * What redaction takes out of every text, one finder for each kind of secret; the first that matches names it. Besides these: values that
 * the workspace registered (`registered.ts`), its own patterns (`workspace-patterns.ts`), and card numbers (`card.ts`).
 */
export const shippedFinders: readonly Finder[] = [
  privateKeyFinder,
  puttyKeyFinder,
  ...jsonWebKeyFinders,
  jsonWebTokenFinder,
  ...credentialFinders,
  ...connectionStringFinders,
  ...commandLineFinders,
  ...argumentListFinders,
  cookieFinder,
  ...vendorKeyFinders,
];

/** Their names, as a marker shows them. */
export const shippedKinds: readonly string[] = [
  "card",
  "secret",
  "private-key",
  "jwt",
  "bearer",
  "basic",
  "connection-string",
  "password",
  "cookie",
  "aws-key",
  "azure-key",
  "terraform-token",
  "credential",
  ...vendorKinds,
];
