/** Counts of the server in the form that Prometheus reads. No label holds anything that a caller wrote. */
export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #buckets: number[] = bounds.map(() => 0);
  #seconds = 0;
  #count = 0;

  observe(route: string, method: string, status: number, seconds: number): void {
    const key = `route="${route}",method="${method}",status="${status}"`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    this.#seconds += seconds;
    this.#count += 1;
    for (const [index, bound] of bounds.entries())
      if (seconds <= bound) this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
  }

  text(
    gauges: Readonly<Record<string, { readonly help: string; readonly value: number }>>,
    limits: ReadonlyMap<string, number>,
  ): string {
    const lines = [
      "# HELP writ_http_requests_total Requests that were answered.",
      "# TYPE writ_http_requests_total counter",
    ];
    for (const [labels, count] of this.#requests) lines.push(`writ_http_requests_total{${labels}} ${count}`);
    lines.push("# HELP writ_http_request_seconds Time to the answer.", "# TYPE writ_http_request_seconds histogram");
    for (const [index, bound] of bounds.entries())
      lines.push(`writ_http_request_seconds_bucket{le="${bound}"} ${this.#buckets[index]}`);
    lines.push(
      `writ_http_request_seconds_bucket{le="+Inf"} ${this.#count}`,
      `writ_http_request_seconds_sum ${this.#seconds}`,
      `writ_http_request_seconds_count ${this.#count}`,
    );
    lines.push("# HELP writ_limit_reached_total How often a limit of writ.yaml held something back.");
    lines.push("# TYPE writ_limit_reached_total counter");
    for (const [limit, count] of limits) lines.push(`writ_limit_reached_total{limit="${limit}"} ${count}`);
    for (const [name, { help, value }] of Object.entries(gauges))
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`);
    return `${lines.join("\n")}\n`;
  }
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
