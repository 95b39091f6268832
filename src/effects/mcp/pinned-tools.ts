import type { SchemaRegistry } from "#core/contracts";
import { type DomainError } from "#core/errors";
import { ok, type Result } from "#core/values";
import { type ToolRegistry } from "../tools/registry.ts";
import { type McpServer } from "./mcp-server.ts";
import { mcpTool } from "./mcp-tool.ts";
import { type ToolPin } from "./pin.ts";
import { pinOf } from "./pin-of.ts";
import type { ToolPinStore } from "./store/tool-pin-store.ts";

/**
 * The approved tools of MCP servers, registered from what was approved. What is approved while this process runs, here or
 * elsewhere, is taken up by the sessions that begin after it: a session keeps the law that it began with.
 */
export class PinnedTools {
  readonly #options: PinnedToolsOptions;
  readonly #known = new Map<string, ToolPin>();
  readonly #adopted = new Set<string>();
  readonly #unfit = new Map<string, DomainError>();

  constructor(options: PinnedToolsOptions) {
    this.#options = options;
  }

  get pins(): readonly ToolPin[] {
    return [...this.#known.values()];
  }

  /** Why an approved tool could not be registered. */
  misfit(name: string): DomainError | undefined {
    return this.#unfit.get(name);
  }

  /** Whether its definition was taken up after this process began. */
  isAdopted(name: string): boolean {
    return this.#adopted.has(name);
  }

  async begin(): Promise<Result<void>> {
    return this.#take((spec) => this.#options.registry.register(spec, { compileLater: true }));
  }

  async adopt(): Promise<Result<void>> {
    return this.#take((spec) => {
      this.#adopted.add(spec.name);
      return this.#options.registry.replace(spec, { compileLater: true });
    });
  }

  async #take(register: (spec: Parameters<ToolRegistry["register"]>[0]) => Result<unknown>): Promise<Result<void>> {
    const { store, servers, schemas } = this.#options;
    const stored = await store.toolPins();
    if (!stored.ok) return stored;
    const pins = stored.value.flatMap(pinOf);
    for (const pin of pins) {
      const server = servers.find(({ spec }) => spec.name === pin.server);
      const known = this.#known.get(pin.name);
      if (!server || (known?.hash === pin.hash && known.launch === pin.launch)) continue;
      const spec = mcpTool(pin, server, schemas);
      if (!spec.ok) return spec;
      // Approval saw to it that it fits; where it no longer does, that tool is out of reach and nothing else is.
      const registered = register(spec.value);
      if (registered.ok) this.#unfit.delete(pin.name);
      else this.#unfit.set(pin.name, registered.error);
    }
    this.#known.clear();
    for (const pin of pins) this.#known.set(pin.name, pin);
    return ok(undefined);
  }
}

export interface PinnedToolsOptions {
  readonly store: Pick<ToolPinStore, "toolPins">;
  readonly registry: ToolRegistry;
  readonly schemas: SchemaRegistry;
  readonly servers: readonly McpServer[];
}
