/** The packages that are published: folders and names, each after the packages that it depends on. */
export const PACKAGES: ReadonlyMap<string, string> = new Map([
  ["codec", "connect-rest-codec"],
  ["runtime", "connect-rest-runtime"],
  ["authorization", "connect-rest-authorization"],
  ["plugin", "protoc-gen-connect-rest"],
  ["gateway", "connect-rest-gateway"],
  ["import", "connect-rest-import"],
]);
