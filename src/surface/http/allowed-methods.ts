import type { RouteDescription } from "#core/routes";

/** The methods of a path, for a 405 answer; empty for an unknown path. */
export function allowedMethods(routes: readonly RouteDescription[]): (path: string) => readonly string[] {
  const known = routes.map((route) => ({ shape: shapeOf(route), methods: methodsOf(route) }));
  return (path) => [...new Set(known.filter(({ shape }) => shape.test(path)).flatMap(({ methods }) => methods))];
}

/** A parameter matches one segment of the path. */
function shapeOf({ path }: RouteDescription): RegExp {
  const parts = path.split("/").map((part) => (part.startsWith(":") ? "[^/]+" : part.replace(/[.]/g, "\\.")));
  return new RegExp(`^${parts.join("/")}$`);
}

/** HEAD of a stream would hold a stream open whose frames no client reads. */
export function hasHead({ method, answer }: RouteDescription): boolean {
  return method === "GET" && !("mediaType" in answer && answer.mediaType === "text/event-stream");
}

function methodsOf(route: RouteDescription): readonly string[] {
  return hasHead(route) ? [route.method, "HEAD"] : [route.method];
}
