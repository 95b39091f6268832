/** The API, its event streams and its pages. Speaks to the runtime and the kernel; decides nothing that they decide. */
export { type Server, type ServerLimits, type ServerOptions, startServer } from "./create-server.ts";
export { serveMcp } from "./mcp/serve-stdio.ts";
export type { Authenticator } from "./security/authenticate.ts";
export { isLoopback } from "./security/check-origin.ts";
