import type { SchemaRegistry } from "#core/contracts";
import { errorSanitizer, type RouteDescription, type SanitizeError } from "#core/routes";
import { ConcurrencyLimit, type Result, Semaphore } from "#core/values";
import type { WritConfig } from "#workspace";
import { Metrics } from "./metrics.ts";
import { openApiDocument } from "./openapi/document.ts";
import { type SignInSeal, signInSeal } from "./security/sign-in-cookie.ts";

/** What the server itself hands to its routes, whatever the workspace behind it. */
export interface ApiParts {
  readonly version: string;
  readonly sanitizeError: SanitizeError;
  readonly onProblem: (message: string) => void;
  readonly wholeSessions: Semaphore;
  readonly metrics: Metrics;
  readonly streams: ConcurrencyLimit;
  readonly routes: readonly RouteDescription[];
  readonly openApi: () => object;
  readonly signInSeal: () => Promise<Result<SignInSeal>>;
}

export interface ApiPartsOptions {
  /** Everything that the API serves. */
  readonly routes: readonly RouteDescription[];
  readonly version: string;
  readonly onProblem: (message: string) => void;
  /** The share of `maxStreams`, and of the other limits, that one caller with a key may hold; at least one. */
  readonly callerShare: number;
  readonly maxStreams: number;
  /** Of the workspace: what browsers keep is sealed with its key. */
  readonly signing: { readonly root: string; readonly config: Pick<WritConfig, "signing"> };
}

/** Requests that hold a whole session in memory at once: there is one event loop, so more would only take more memory. */
const wholeSessionsAtOnce = 2;

export function apiParts(options: ApiPartsOptions, schemas: Pick<SchemaRegistry, "schema">): ApiParts {
  const { routes, version, callerShare, onProblem } = options;
  let document: object | undefined;
  let seal: Promise<Result<SignInSeal>> | undefined;
  return {
    version,
    sanitizeError: errorSanitizer(onProblem),
    onProblem,
    wholeSessions: new Semaphore(wholeSessionsAtOnce),
    metrics: new Metrics(),
    streams: new ConcurrencyLimit({ most: options.maxStreams, callerShare }),
    routes,
    signInSeal: () => {
      seal ??= signInSeal(options.signing.root, options.signing.config).then((made) => {
        if (!made.ok) seal = undefined; // the next request tries again
        return made;
      });
      return seal;
    },
    openApi: () => {
      document ??= openApiDocument(routes, schemas, version);
      return document;
    },
  };
}
