/** Shared workers: for each lease they make a work order, run a flow and submit patches. They plan nothing and change no canon. */
import type { WorkHandler } from "../kernel/run-worker.ts";
import { agent } from "./agent.ts";
import type { WorkerPorts } from "./ports.ts";
import { researcher } from "./researcher.ts";
import { terminal } from "./terminal.ts";

/** The workers that Writ ships, by the capability that an app asks for. */
export function sharedWorkers(ports: WorkerPorts): Readonly<Record<string, WorkHandler>> {
  return { agent: agent(ports), research: researcher(ports), terminal: terminal(ports) };
}
