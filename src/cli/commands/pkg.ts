import { resolve } from "node:path";
import type { Command } from "commander";
import { ok, type Result } from "#base";
import type { InstallOutcome, Packages, PackageVerification } from "#compose";
import { type Answer, act, type Invocation } from "../act.ts";
import type { BuildOptions } from "../build-to-file.ts";
import type { CliContext } from "../context.ts";
import { exitStatus } from "../exit-status.ts";
import type { Screen } from "../output/screen.ts";
import { table } from "../output/table.ts";
import { workspaceOf } from "../workspace-of.ts";

export function register(program: Command, context: CliContext): void {
  const pkg = program
    .command("pkg")
    .description("packages: contracts with an owner, a hash and a signature")
    .addHelpText("after", "\nExamples:\n  $ writ pkg list\n  $ writ pkg verify\n");
  addBuild(pkg, context);
  addInstall(pkg, context);
  addVerify(pkg, context);
  addList(pkg, context);
  addRemove(pkg, context);
  addAdopt(pkg, context);
}

function addBuild(pkg: Command, context: CliContext): void {
  pkg
    .command("build")
    .description("make an archive of a folder with a manifest.json; the same folder gives the same bytes")
    .argument("<dir>", "the folder")
    .option("--out <file>", "where to write it (default: PACKAGE-VERSION.tar here)")
    .option("--key <file>", "sign with this Ed25519 key (PEM; default: the workspace's own)")
    .addHelpText("after", "\nExample:\n  $ writ pkg build my-package --out my-package.tar\n")
    .action(
      act<BuildOptions>(context, async (invocation) => {
        const { buildToFile } = await import("../build-to-file.ts");
        return buildToFile(invocation);
      }),
    );
}

function addInstall(pkg: Command, context: CliContext): void {
  pkg
    .command("install")
    .description("examine an archive, then install it whole or not at all")
    .argument("<file>", "the archive")
    .addHelpText("after", "\nExample:\n  $ writ pkg install my-package.tar\n")
    .action(
      act(context, (invocation) =>
        withPackages(invocation, async ({ desk }) => {
          const done = await desk.install(resolve(context.cwd, invocation.arguments[0] ?? ""));
          return done.ok ? ok({ json: done.value, text: (screen) => describeInstall(done.value, screen) }) : done;
        }),
      ),
    );
}

function addVerify(pkg: Command, context: CliContext): void {
  pkg
    .command("verify")
    .description("hold every installed file against its package's archive")
    .option("--repair", "put back what differs")
    .addHelpText("after", "\nExample:\n  $ writ pkg verify --repair\n")
    .action(
      act<{ readonly repair?: boolean }>(context, (invocation) =>
        withPackages(invocation, async (packages) => {
          const done = await packages.verify({ repair: invocation.options.repair ?? false });
          if (!done.ok) return done;
          const exit = done.value.ok ? exitStatus.done : exitStatus.failed;
          return ok({ json: done.value, text: (screen) => describeVerification(done.value, screen), exit });
        }),
      ),
    );
}

function addList(pkg: Command, context: CliContext): void {
  pkg
    .command("list")
    .description("installed packages, the workspace's before Writ's own")
    .addHelpText("after", "\nExample:\n  $ writ pkg list\n")
    .action(
      act(context, (invocation) =>
        withPackages(invocation, async ({ desk }) => {
          const packages = desk.list();
          const rows = packages.map((each) => [
            each.package_id,
            each.version,
            each.home,
            `${each.files}`,
            each.title ?? "",
          ]);
          return ok({
            json: { packages },
            text: (screen) => table(screen, ["package", "version", "from", "files", "what it is"], rows),
          });
        }),
      ),
    );
}

function addRemove(pkg: Command, context: CliContext): void {
  pkg
    .command("remove")
    .description("take a package and its files away")
    .argument("<package>", "its id")
    .addHelpText("after", "\nExample:\n  $ writ pkg remove PKG-MINE-001\n")
    .action(
      act(context, (invocation) =>
        withPackages(invocation, async ({ desk }) => {
          const done = await desk.remove(invocation.arguments[0] ?? "");
          if (!done.ok) return done;
          const { package_id, version } = done.value;
          return ok({
            json: done.value,
            text: (screen) => `${screen.green(screen.sign.ok)} ${package_id} ${version} is removed\n`,
          });
        }),
      ),
    );
}

function addAdopt(pkg: Command, context: CliContext): void {
  pkg
    .command("adopt")
    .description("take frameworks, registries and schemas that you wrote here into the workspace's own package")
    .addHelpText("after", "\nExample:\n  $ writ pkg adopt\n")
    .action(
      act(context, (invocation) =>
        withPackages(invocation, async (packages) => {
          const done = await packages.adopt();
          if (!done.ok) return done;
          const outcome = done.value;
          return ok({
            json: { adopted: outcome },
            text: (screen) =>
              outcome ? describeInstall(outcome, screen) : "nothing to adopt: every file has its owner\n",
          });
        }),
      ),
    );
}

async function withPackages<Options>(
  invocation: Invocation<Options>,
  work: (packages: Packages) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  const root = await workspaceOf(invocation);
  if (!root.ok) return root;
  const { openWorkspacePackages } = await import("#compose");
  const { clock, random, env } = invocation.context;
  const packages = await openWorkspacePackages({ root: root.value, clock, random, env });
  return packages.ok ? work(packages.value) : packages;
}

function describeInstall(
  { package_id, version, state, files, trusted_as, signed_by }: InstallOutcome,
  screen: Screen,
): string {
  const done = {
    new: "is installed",
    upgrade: "is installed in place of the older one",
    already: "was installed already",
  };
  return `${screen.green(screen.sign.ok)} ${package_id} ${version} ${done[state]}: ${files} ${files === 1 ? "file" : "files"}\n  ${screen.dim(`signed with ${signed_by.slice(0, 16)}…, trusted as ${trusted_as === "root" ? "a trust root" : `the ${trusted_as}'s own`}`)}\n`;
}

function describeVerification({ packages, files, findings, repaired }: PackageVerification, screen: Screen): string {
  const lines = repaired.map((path) => `${screen.green(screen.sign.ok)} put back ${path}`);
  for (const { message, expected, found, repair } of findings)
    lines.push(
      `${screen.red(screen.sign.bad)} ${message}`,
      ...(expected === undefined ? [] : [`    expected ${expected}`]),
      ...(found === undefined ? [] : [`    found    ${found}`]),
      ...(repair === undefined ? [] : [`    ${screen.cyan(repair)}`]),
    );
  if (findings.length === 0)
    lines.push(`${screen.green(screen.sign.ok)} ${packages} packages, ${files} files: all as they were installed`);
  return `${lines.join("\n")}\n`;
}
