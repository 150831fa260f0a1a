// A CommonJS module, so that a bundler accepts imports of names that this module does not export.
throw new Error(
  "connect-rest-runtime runs on servers, not in browsers. In a page, call a gateway with @connectrpc/connect-web, " +
    "and import generated messages (_pb) but no adapters (_rest). See the README of connect-rest-runtime.",
);
