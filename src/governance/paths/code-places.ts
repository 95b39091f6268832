import { type NamedPlace, places } from "./named-place.ts";

const installs = "it decides which code is installed";
const builds = "it says what is run to build, test or start the project";
const tools = "tools run or obey it by themselves";
const instructs = "it instructs agents";

/**
 * The class `code-that-runs`: files that a person's ordinary commands run, install from or obey without showing them, and files
 * that instruct other agents. An order writes them where it names them exactly, or by a pattern of its `scope.code_that_runs`.
 */
export const codePlaces: readonly NamedPlace[] = [
  // Instructions for agents, and what their programs load.
  ...places(
    "anywhere",
    instructs,
    "agents.md agents.override.md claude.md claude.local.md gemini.md .mcp.json mcp.json",
  ),
  ...places(
    "anywhere",
    instructs,
    ".cursor .cursorrules .codex .gemini .windsurf .windsurfrules .clinerules .cline .roo .roorules",
  ),
  ...places(
    "anywhere",
    instructs,
    ".aider* .continue .junie .kiro .amazonq .goosehints .opencode opencode.json* .augment*",
  ),
  ...places(
    "anywhere",
    instructs,
    ".github/copilot-instructions.md .github/instructions .github/prompts .github/agents .github/chatmodes",
  ),
  // Version control.
  ...places("anywhere", tools, ".git .gitmodules .gitattributes .gitconfig .githooks .husky .hg .svn .jj"),
  ...places(
    "anywhere",
    tools,
    ".pre-commit-config.y*ml .pre-commit-hooks.y*ml lefthook*.y*ml .lefthook* .lintstagedrc* .overcommit.yml",
  ),
  // What servers run for a repository.
  ...places(
    "anywhere",
    tools,
    ".github/workflows .github/actions .github/dependabot.y*ml .github/codeowners codeowners",
  ),
  ...places(
    "anywhere",
    tools,
    ".gitlab-ci* .gitlab .forgejo .gitea .circleci .travis.y*ml jenkinsfile* azure-pipelines* .azure-pipelines",
  ),
  ...places(
    "anywhere",
    tools,
    "bitbucket-pipelines.y*ml .drone.y*ml .woodpecker* .buildkite appveyor.y*ml .appveyor.y*ml cloudbuild.y*ml",
  ),
  ...places(
    "anywhere",
    tools,
    "buildspec.y*ml .semaphore .teamcity renovate.json* .renovaterc* vercel.json netlify.toml fly.toml",
  ),
  // Editors and shells, which run tasks when a folder is opened.
  ...places(
    "anywhere",
    tools,
    ".vscode .idea .devcontainer* .fleet .zed *.code-workspace .vimrc .nvimrc .exrc .nvim.lua .dir-locals.el",
  ),
  ...places(
    "anywhere",
    tools,
    ".bash* .profile .zsh* .xprofile .login .inputrc .direnv .mise* mise.toml .tool-versions .justfile",
  ),
  ...places("anywhere", tools, "*.service *.timer crontab *.desktop autorun.inf sitecustomize.py usercustomize.py"),
  // npm and its kin.
  ...places(
    "anywhere",
    builds,
    "package.json pnpm-workspace.y*ml lerna.json nx.json turbo.json deno.json* bunfig.toml bower.json",
  ),
  ...places("anywhere", installs, "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock* deno.lock"),
  ...places("anywhere", installs, "node_modules .pnpmfile.* .yarn .pnp.* .nvmrc .node-version"),
  ...places(
    "anywhere",
    builds,
    "*.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts gulpfile* gruntfile*",
  ),
  ...places(
    "anywhere",
    builds,
    ".babelrc* .eslintrc* .prettierrc* .mocharc* .swcrc .postcssrc* .stylelintrc* .releaserc*",
  ),
  // Other languages.
  ...places(
    "anywhere",
    builds,
    "makefile gnumakefile *.mk justfile taskfile.y*ml rakefile cmakelists.txt *.cmake configure meson.build",
  ),
  ...places(
    "anywhere",
    builds,
    "build.bazel module.bazel workspace.bazel *.bzl build.xml pom.xml mvnw* .mvn build.gradle* settings.gradle*",
  ),
  ...places(
    "anywhere",
    builds,
    "gradlew* gradle/wrapper build.sbt build.rs setup.py setup.cfg conftest.py tox.ini noxfile.py mix.exs",
  ),
  ...places(
    "anywhere",
    builds,
    "rebar.config package.swift *.podspec directory.build.* *.targets nuget.config flake.nix default.nix shell.nix",
  ),
  ...places(
    "anywhere",
    builds,
    "dockerfile* *.dockerfile containerfile* docker-compose*.y*ml compose.y*ml compose.*.y*ml vagrantfile procfile*",
  ),
  ...places(
    "anywhere",
    installs,
    "cargo.toml cargo.lock .cargo go.mod go.sum go.work pyproject.toml poetry.lock pdm.lock uv.lock pipfile*",
  ),
  ...places(
    "anywhere",
    installs,
    "requirements*.txt gemfile gemfile.lock composer.json composer.lock podfile podfile.lock flake.lock",
  ),
  ...places("anywhere", installs, ".venv venv site-packages brewfile .bazelrc .bazeliskrc"),
  ...places(
    "anywhere",
    builds,
    "*.csproj *.fsproj *.vbproj *.vcxproj *.props *.gradle makefile.am makefile.in earthfile tiltfile",
  ),
  ...places(
    "anywhere",
    tools,
    "skaffold.y*ml serverless.y*ml wrangler.toml .gitpod.y*ml .replit .cirrus.y*ml .rprofile",
  ),
  ...places("anywhere", tools, "guardfile capfile fastlane .rspec ansible.cfg"),
  ...places("anywhere", instructs, ".trae .rules llms.txt .github/skills"),
];

/** Folders that are Writ's where Writ has something registered in them, and otherwise the user's own. */
export const sharedFolders: readonly NamedPlace[] = places(
  "root",
  "Writ reads a folder of this name where something in it is registered",
  "packages schemas agents hooks",
);
