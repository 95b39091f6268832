/** The API, its event streams and its pages. Calls the runtime and the kernel, and decides nothing itself. */
export type { Server } from "./create-server.ts";
export type { Authenticator } from "./security/authenticate.ts";
export { isLoopback } from "./security/check-origin.ts";
export { serveMcp } from "./serve-mcp.ts";
export { type ServerLimits, type ServerOptions, startServer } from "./start-server.ts";
