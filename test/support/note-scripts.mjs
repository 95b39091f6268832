// For `node --import`: writes the addresses of all scripts that the process has loaded, one a line, to SCRIPTS_FILE when it ends.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { isMainThread } from "node:worker_threads";

const file = process.env.SCRIPTS_FILE;
if (isMainThread && file) {
  const addresses = new Set();
  const session = new Session();
  session.connect();
  session.on("Debugger.scriptParsed", ({ params: { url } }) => addresses.add(url));
  session.post("Debugger.enable");
  process.on("exit", () => {
    const ours = [...addresses].filter((url) => url && !url.startsWith("node:") && url !== import.meta.url);
    writeFileSync(file, ours.join("\n"));
  });
}
