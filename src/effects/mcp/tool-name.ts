import { sha256 } from "#core/values";
import { isToolName } from "../tools/tool-names.ts";

/**
 * `server.tool`. A name that Writ's tools may bear is kept; any other is written in letters that they may, with part of
 * its hash behind, so that two names never become one and a name does not depend on what else the server offers.
 */
export function mcpToolName(server: string, wireName: string): string {
  const plain = `${server}.${wireName}`;
  if (isToolName(plain) && !/-[0-9a-f]{10}$/.test(wireName)) return plain;
  const letters = wireName.replaceAll(/[^A-Za-z0-9_-]+/g, "_").replace(/^[^A-Za-z0-9]+/, "");
  return `${server}.${letters.slice(0, 40) || "tool"}-${sha256(wireName).slice(0, 10)}`;
}
