import findMyWay, { type HTTPMethod, type Instance } from "find-my-way";
import type { Route } from "./call.ts";

export interface Found {
  readonly route: Route;
  readonly path: Record<string, string>;
}

/** Finds routes by method and path. A trailing slash is optional, and `t:abc` equals `t%3Aabc`. */
export class Router {
  private readonly router: Instance<never>;
  private readonly methods: readonly HTTPMethod[];

  constructor(routes: readonly Route[]) {
    const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: 4096 }) as Instance<never>;
    // the router only finds routes; the dispatcher calls their handlers
    for (const route of routes) router.on(route.method as HTTPMethod, route.path, () => {}, route);
    this.router = router;
    this.methods = [...new Set(routes.map((route) => route.method as HTTPMethod))];
  }

  /** Returns the route for a method and a raw path, or the methods that the path supports. */
  find(method: string, rawPath: string): Found | string[] {
    const found = this.router.find(method as HTTPMethod, rawPath);
    if (found !== null) return { route: found.store as Route, path: found.params as Record<string, string> };
    return this.methods.filter((other) => this.router.find(other, rawPath) !== null);
  }
}
