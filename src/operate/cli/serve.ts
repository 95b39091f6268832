import { type Command, type Opens, text } from "#core/commands";
import { ok } from "#core/values";
import type { ServingParts } from "../serve/serve-workspace.ts";
import { readPort } from "./read-port.ts";

interface ServeOptions {
  readonly host: string;
  readonly port: string;
}

export const serve: Command<"choice", { readonly server: Opens<ServingParts> }, ServeOptions> = {
  name: "serve",
  summary: "the API and the studio for a team: everybody shows an API key; conductors and workers run beside it",
  needs: "choice",
  json: "one line with url, port and pid",
  arguments: [],
  options: {
    host: text("address", "where to listen", "127.0.0.1"),
    port: text("n", "the port; 0 takes any that is free", "7878"),
  },
  about: "Nothing opens without a key: `writ key create --help` says how a caller gets one.",
  examples: [
    "writ key create ada@corp --note laptop",
    "writ serve --host 0.0.0.0 --port 8080",
    "writ conductor & writ worker",
  ],
  exits: null,
  run: async (opens, { options, context, json }) => {
    const port = readPort(options.port);
    if (!port.ok) return port;
    return opens.server(async (parts) => {
      const { serveWorkspace } = await import("../serve/serve-workspace.ts");
      const wanted = { parts, context, host: options.host, port: port.value, json };
      const served = await serveWorkspace({ ...wanted, trustsLocal: false, withWorkerPool: false });
      return served.ok ? ok({}) : served;
    });
  },
};
