import { resolve } from "node:path";
import { argument, type Command, type CommandGroup, exitStatus, flag, text } from "#core/commands";
import type { Screen } from "#core/terminal";
import { table } from "#core/terminal";
import { ok, type Result } from "#core/values";
import type { InstallOutcome, ListedPackage } from "../packages/package-installer.ts";
import type { PackageVerification } from "../packages/verify-packages.ts";
import { type BuildOptions, type BuildParts, buildToFile } from "./build-to-file.ts";

const build: Command<"choice", BuildParts, BuildOptions> = {
  name: "build",
  summary: "make an archive of a folder with a manifest.json; the same folder gives the same bytes",
  needs: "choice",
  json: "package_id, version, file, files, archive_sha256 and key_sha256",
  arguments: [argument("dir", "the folder")],
  options: {
    out: text("file", "where to write it (default: PACKAGE-VERSION.tar here)"),
    key: text("file", "sign with this Ed25519 key (PEM; default: the workspace's own)"),
  },
  examples: ["writ pkg build my-package --out my-package.tar"],
  run: buildToFile,
};

interface InstallerParts {
  readonly installer: {
    install(file: string): Promise<Result<InstallOutcome>>;
    list(): readonly ListedPackage[];
    remove(package_id: string): Promise<Result<{ readonly package_id: string; readonly version: string }>>;
  };
}

const install: Command<"packages", InstallerParts> = {
  name: "install",
  summary: "examine an archive, then install it whole or not at all",
  needs: "packages",
  json: "package_id, version, state, files, trusted_as and signed_by",
  arguments: [argument("file", "the archive")],
  options: {},
  examples: ["writ pkg install my-package.tar"],
  run: async ({ installer }, { arguments: [file = ""], context }) => {
    const done = await installer.install(resolve(context.cwd, file));
    return done.ok ? ok({ json: done.value, text: (screen) => describeInstall(done.value, screen) }) : done;
  },
};

interface VerifyParts {
  verify(options: { readonly repair: boolean }): Promise<Result<PackageVerification>>;
}

interface VerifyOptions {
  readonly repair?: boolean;
}

const verify: Command<"packages", VerifyParts, VerifyOptions> = {
  name: "verify",
  summary: "hold every installed file against its package's archive",
  needs: "packages",
  json: "ok, packages, files, findings and repaired",
  arguments: [],
  options: { repair: flag("put back what differs") },
  examples: ["writ pkg verify --repair"],
  exits: { 1: "a file differs from its archive" },
  run: async (packages, { options: { repair = false } }) => {
    const done = await packages.verify({ repair });
    if (!done.ok) return done;
    const exit = done.value.ok ? exitStatus.done : exitStatus.failed;
    return ok({ json: done.value, text: (screen) => describeVerification(done.value, screen), exit });
  },
};

const list: Command<"packages", InstallerParts> = {
  name: "list",
  summary: "installed packages, the workspace's before Writ's own",
  needs: "packages",
  json: "packages with package_id, version, home, files and title",
  arguments: [],
  options: {},
  examples: ["writ pkg list"],
  run: async ({ installer }) => {
    const packages = installer.list();
    const rows = packages.map((each) => [each.package_id, each.version, each.home, `${each.files}`, each.title ?? ""]);
    return ok({
      json: { packages },
      text: (screen) => table(screen, ["package", "version", "from", "files", "what it is"], rows),
    });
  },
};

const remove: Command<"packages", InstallerParts> = {
  name: "remove",
  summary: "take a package and its files away",
  needs: "packages",
  json: "package_id and version of what is gone",
  arguments: [argument("package", "its id")],
  options: {},
  examples: ["writ pkg remove PKG-MINE-001"],
  run: async ({ installer }, { arguments: [named = ""] }) => {
    const done = await installer.remove(named);
    if (!done.ok) return done;
    const { package_id, version } = done.value;
    return ok({
      json: done.value,
      text: (screen) => `${screen.green(screen.sign.ok)} ${package_id} ${version} is removed\n`,
    });
  },
};

interface AdoptParts {
  adopt(): Promise<Result<InstallOutcome | null>>;
}

const adopt: Command<"packages", AdoptParts> = {
  name: "adopt",
  summary: "take frameworks, registries and schemas that you wrote here into the workspace's own package",
  needs: "packages",
  json: "adopted: as `writ pkg install` prints it, or null",
  arguments: [],
  options: {},
  examples: ["writ pkg adopt"],
  run: async (packages) => {
    const done = await packages.adopt();
    if (!done.ok) return done;
    const outcome = done.value;
    return ok({
      json: { adopted: outcome },
      text: (screen) => (outcome ? describeInstall(outcome, screen) : "nothing to adopt: every file has its owner\n"),
    });
  },
};

export const pkg: CommandGroup<typeof build | typeof install | typeof verify | typeof adopt> = {
  name: "pkg",
  summary: "packages: contracts with an owner, a hash and a signature",
  examples: ["writ pkg list", "writ pkg verify"],
  members: [build, install, verify, list, remove, adopt],
};

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
