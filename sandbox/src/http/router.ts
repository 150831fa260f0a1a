import type { Route } from "./call.ts";

export interface Found {
  route: Route;
  path: Record<string, string>;
}

function match(route: Route, segments: readonly string[]): Record<string, string> | undefined {
  const pattern = route.path.slice(1).split("/");
  if (pattern.length !== segments.length) return undefined;
  const path: Record<string, string> = {};
  for (const [i, step] of pattern.entries()) {
    const segment = segments[i] ?? "";
    if (step.startsWith(":")) path[step.slice(1)] = segment;
    else if (step !== segment) return undefined;
  }
  return path;
}

/** The first route for this method and path; else the methods the path has under other routes. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  segments: readonly string[],
): Found | string[] {
  const others = new Set<string>();
  for (const route of routes) {
    const path = match(route, segments);
    if (!path) continue;
    if (route.method === method) return { route, path };
    others.add(route.method);
  }
  return [...others];
}
