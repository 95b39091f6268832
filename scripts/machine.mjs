// What the tests need of the machine besides Node: a sandbox helper, a browser for the studio, and a compiler for those attempts of
// the escape battery that no script can make. Installed where we may; named where we may not; in CI a missing one is a failure, never a skip.
import { spawnSync } from "node:child_process";

const needed = { bwrap: ["bubblewrap"], gcc: ["gcc", "libc6-dev"], chromium: ["chromium"] };
const has = (program) => spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;
const missing = () => Object.keys(needed).filter((program) => !has(program));

if (process.platform === "linux" && missing().length > 0) {
  const packages = missing().flatMap((program) => needed[program]);
  if (process.getuid?.() === 0 && has("apt-get")) {
    console.log(`installing ${packages.join(", ")} for the tests of the sandbox and the studio`);
    spawnSync("apt-get", ["update", "-qq"], { stdio: "inherit" });
    spawnSync("apt-get", ["install", "-y", "-qq", ...packages], { stdio: ["ignore", "ignore", "inherit"] });
  }
  const left = missing();
  if (left.length > 0) {
    console.error(
      `missing: ${left.join(", ")}. Tests of the sandbox and the studio need them: sudo apt-get install ${packages.join(" ")}`,
    );
    if (process.env.CI) process.exit(1);
  }
}
