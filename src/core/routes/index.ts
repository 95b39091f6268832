/** The shape of a route: every answer that the server, the OpenAPI document and the tests ask for. */
export {
  answers,
  arrayOf,
  type Fields,
  fragment,
  halt,
  is,
  limits,
  listedSession,
  listOf,
  objectOf,
  orNull,
  phaseFields,
  policyFields,
  type Shape,
  sessionEnds,
  sessionInfo,
  standing,
} from "./answer-shapes.ts";
export { frame, keepAlive, problemFrame } from "./frames.ts";
export { isLoopback } from "./is-loopback.ts";
export { notHere, problemOf, retryAfter, tooManyOrders, tooManyStreams } from "./problem.ts";
export { integer, maxText, pageSize, readQuery, text } from "./read-query.ts";
export {
  type BoundRoute,
  bindRoute,
  type Call,
  type HeaderParameter,
  json,
  plainGet,
  type QueryParameter,
  type Reply,
  type ResourceId,
  type Route,
  type RouteAnswer,
  type RouteDescription,
} from "./route.ts";
export { errorSanitizer, type SanitizeError } from "./sanitize-error.ts";
export { withProbeTimeout } from "./with-probe-timeout.ts";
