/**
 * The layers of each package: what is directly in its `src/`, from top to bottom. A file imports from its own entry
 * and from entries below, never from one above. `CONTRIBUTING.md` shows the same lists, and a test compares them.
 *
 * Tests, and what is in a folder `testing/`, may import everything.
 */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  plugin: [],
  tools: [],
  gateway: [],
  sandbox: [
    "main.ts",
    "index.ts",
    "sandbox.ts",
    "seed/",
    "routes.ts",
    "oauth/",
    "events/",
    "communities/",
    "user/",
    "posts/",
    "blog/",
    "view/",
    "npf/",
    "dispatch/",
    "auth/",
    "usage.ts",
    "world.ts",
    "store/",
    "http/",
    "rate.ts",
    "limits.ts",
    "clock.ts",
    "entropy.ts",
    "json.ts",
  ],
};
