/** The pages of the site, in the order of a reader's path. The list names each page of the documentation. */

export interface Path {
  /** The reader's goal. */
  readonly title: string;
  readonly about: string;
  /** Files from the root of the repository, with an anchor if the entry is a section of the page. */
  readonly pages: readonly string[];
}

export const PATHS: readonly Path[] = [
  {
    title: "First call",
    about: "Start the gateway and its sandbox. Call an API with curl, gRPC or TypeScript, or in the console.",
    pages: [
      "README.md",
      "README.md#first-call",
      "README.md#watch-events",
      "README.md#the-same-call-in-process",
      "docs/console.md",
      "docs/mcp.md",
      "sandbox/README.md",
    ],
  },
  {
    title: "Your own API",
    about: "Describe an API by hand, or import its OpenAPI document. Recipes show the habits of REST APIs.",
    pages: [
      "README.md#your-own-api-in-ten-minutes",
      "docs/openapi.md",
      "docs/client-generators.md",
      "docs/recipes.md",
      "docs/feeds.md",
      "import/README.md",
      "plugin/README.md",
      "runtime/README.md",
      "examples/README.md",
      "examples/script/README.md",
      "examples/bookmarks/README.md",
      "examples/imported/README.md",
      "examples/service/README.md",
      "examples/clients/README.md",
    ],
  },
  {
    title: "Operate",
    about: "Run the gateway: workers, limits, timeouts, logs, metrics, proxies and TLS.",
    pages: [
      "gateway/README.md",
      "docs/deploy.md",
      "docs/verify.md",
      "docs/suggest.md",
      "docs/timeouts.md",
      "docs/networks.md",
      "docs/performance.md",
    ],
  },
  {
    title: "Secure",
    about: "Let callers sign in. Read what the gateway guarantees, and which tests check it.",
    pages: [
      "docs/authorization.md",
      "authorization/README.md",
      "SECURITY.md",
      "docs/secrets.md",
      "docs/security-tests.md",
    ],
  },
  {
    title: "Extend",
    about: "Write a generator of your own, or change connect-rest itself.",
    pages: [
      "docs/generator-kit.md",
      "examples/generator/README.md",
      "docs/architecture.md",
      "codec/README.md",
      "gateway/src/fast-path/README.md",
      "bench/README.md",
      "CONTRIBUTING.md",
    ],
  },
  {
    title: "Reference",
    about: "Every annotation, setting, error, difference, diagnostic and exported name.",
    pages: [
      "docs/annotations.md",
      "docs/configuration.md",
      "docs/errors.md",
      "docs/fidelity.md",
      "docs/diagnostics.md",
      "docs/services.md",
      "docs/import-counts.md",
      "docs/api/connect-rest-runtime.api.md",
      "docs/api/connect-rest-runtime-adapter.api.md",
      "docs/api/connect-rest-runtime-explain.api.md",
      "docs/api/connect-rest-runtime-oauth.api.md",
      "docs/api/connect-rest-runtime-recordings.api.md",
      "docs/api/connect-rest-codec.api.md",
      "docs/api/connect-rest-gateway.api.md",
      "docs/api/connect-rest-authorization.api.md",
      "docs/api/connect-rest-import.api.md",
      "docs/api/protoc-gen-connect-rest.api.md",
      "docs/api/protoc-gen-connect-rest-kit.api.md",
      "CHANGELOG.md",
    ],
  },
];

/** The files of all pages. */
export const PAGES: ReadonlySet<string> = new Set(
  PATHS.flatMap(({ pages }) => pages.map((entry) => entry.replace(/#.*/, ""))),
);
