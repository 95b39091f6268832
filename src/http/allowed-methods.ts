import type { Route } from "./route.ts";

/** Of a path, the methods that it has: for whoever came with another. Empty where there is no such path. */
export function allowedMethods(routes: readonly Route[]): (path: string) => readonly string[] {
  const known = routes.map((route) => ({ shape: shapeOf(route), methods: methodsOf(route) }));
  return (path) => [...new Set(known.filter(({ shape }) => shape.test(path)).flatMap(({ methods }) => methods))];
}

/** Each parameter is one part of the path. */
function shapeOf({ path }: Route): RegExp {
  const parts = path.split("/").map((part) => (part.startsWith(":") ? "[^/]+" : part.replace(/[.]/g, "\\.")));
  return new RegExp(`^${parts.join("/")}$`);
}

/** The head of a stream would be a stream that nobody can read. */
export function hasHead({ method, answer }: Route): boolean {
  return method === "GET" && answer.mediaType !== "text/event-stream";
}

function methodsOf(route: Route): readonly string[] {
  return hasHead(route) ? [route.method, "HEAD"] : [route.method];
}
