/** The engines that serve tables: HTTP server, OpenAPI, MCP server, studio files, command line. Knows no feature by name. */
export { serveMcpOverStdio } from "./mcp/serve-stdio.ts";
export { studioFiles } from "./studio/studio-files.ts";
