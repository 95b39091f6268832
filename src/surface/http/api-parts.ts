import type { SchemaRegistry } from "#core/contracts";
import { errorSanitizer, type RouteDescription, type SanitizeError } from "#core/routes";
import { ConcurrencyLimit, Semaphore } from "#core/values";
import { Metrics } from "./metrics.ts";
import { openApiDocument } from "./openapi/document.ts";

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
}

export interface ApiPartsOptions {
  /** Everything that the API serves. */
  readonly routes: readonly RouteDescription[];
  readonly version: string;
  readonly onProblem: (message: string) => void;
  /** The share of `maxStreams`, and of the other limits, that one caller with a key may hold; at least one. */
  readonly callerShare: number;
  readonly maxStreams: number;
}

/** Requests that hold a whole session in memory at once: there is one event loop, so more would only take more memory. */
const wholeSessionsAtOnce = 2;

export function apiParts(options: ApiPartsOptions, schemas: Pick<SchemaRegistry, "schema">): ApiParts {
  const { routes, version, callerShare, onProblem } = options;
  let document: object | undefined;
  return {
    version,
    sanitizeError: errorSanitizer(onProblem),
    onProblem,
    wholeSessions: new Semaphore(wholeSessionsAtOnce),
    metrics: new Metrics(),
    streams: new ConcurrencyLimit({ most: options.maxStreams, callerShare }),
    routes,
    openApi: () => {
      document ??= openApiDocument(routes, schemas, version);
      return document;
    },
  };
}
