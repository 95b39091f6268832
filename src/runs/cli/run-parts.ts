import { type ArgumentSpec, argument } from "#core/commands";
import type { Documents } from "../kernel/documents.ts";
import type { Kernel } from "../kernel/kernel.ts";

/** What a command about runs needs: the kernel and the runs' documents. */
export interface RunParts {
  readonly kernel: Kernel;
  readonly documents: Documents;
}

const about = "its id, any part of it that only one run has, or last";

export const runArgument: ArgumentSpec = argument("run", about);

export const optionalRun: ArgumentSpec = { ...runArgument, takes: "one or none" };

/** The help of these commands has this title over a single example too. */
export const examplesTitle = "Examples:";
