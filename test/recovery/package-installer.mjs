// Installs, upgrades and removes a package over and over, saying what it has done, until it is killed.
// argv: workspace, folder with v1.tar and v2.tar, hash of the trusted key, optionally the failpoint at which it kills itself.
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { systemClock, systemRandom } from "#core/values";
import { PackageInstaller } from "#governance";
import { shippedHome } from "../../src/governance/packages/homes.ts";

const [root, archives, trusted, deadly] = process.argv.slice(2);
const installer = new PackageInstaller({
  root,
  schemas: shippedRegistry(),
  clock: systemClock,
  random: systemRandom,
  trust: { build: null, workspace: null, roots: [trusted] },
  workspaceKey: createPrivateKey(readFileSync(join(root, "planes/hot/keys/signing.pem"), "utf8")),
  lockWaitMs: 20_000,
  beneath: [shippedHome],
  failpoint: (name) => {
    if (name === deadly) process.kill(process.pid, "SIGKILL");
  },
});
const must = (done) => {
  if (!done.ok && done.error.code !== "NOT_FOUND") throw new Error(done.error.message);
};
process.stdout.write("ready\n");
for (;;) {
  for (const version of ["v1", "v2"]) {
    const done = await installer.install(join(archives, `${version}.tar`));
    if (!done.ok && done.error.code !== "PACKAGE_CONFLICT") throw new Error(done.error.message);
    process.stdout.write(`${done.ok ? version : "kept"}\n`);
  }
  must(await installer.remove("PKG-KILLED-001"));
  process.stdout.write("none\n");
}
