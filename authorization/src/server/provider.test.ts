import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { SqliteStore } from "../store/sqlite-store.ts";
import { createGrants } from "./grants.ts";
import { configurationOf, createProvider, type ProviderOptions } from "./provider.ts";

const store = new SqliteStore({ file: ":memory:" });
const OPTIONS: ProviderOptions = {
  publicUrl: "https://gateway.test",
  scopes: ["a"],
  clients: [],
  lifetimes: { accessTokenSeconds: 60, refreshTokenSeconds: 60, grantSeconds: 60 },
  registration: { isOpen: true, initialAccessToken: undefined },
  adapter: {
    grants: createGrants(store, undefined, () => undefined),
    clientMs: 1000,
    now: Date.now,
    onReuse: () => undefined,
  },
  isAlive: () => Promise.resolve(true),
};

/** Returns the defaults of the engine, which it does not export. */
async function defaultsOfEngine(): Promise<Record<string, unknown>> {
  const main = createRequire(import.meta.url).resolve("oidc-provider");
  const file = path.join(path.dirname(main), "helpers", "defaults.js");
  const { default: defaults } = await import(pathToFileURL(file).href);
  return typeof defaults === "function" ? defaults() : defaults;
}

test("the engine supports every setting that it gets", async () => {
  const defaults = await defaultsOfEngine();
  const given = configurationOf(OPTIONS);
  for (const key of Object.keys(given)) expect(Object.keys(defaults), key).toContain(key);
  for (const [feature, settings] of Object.entries(given.features ?? {})) {
    const known = Object(Object(defaults.features)[feature]);
    const unknown = Object.keys(Object(settings)).filter((key) => !(key in known));
    expect(unknown, feature).toEqual([]);
  }
});

test("the engine sends no requests, for any client or address", async () => {
  const provider = createProvider(OPTIONS);
  const metadata = {
    client_id: "a",
    redirect_uris: ["https://app.example/"],
    token_endpoint_auth_method: "private_key_jwt",
    jwks_uri: "http://169.254.169.254/",
  };
  const client: unknown = Reflect.construct(provider.Client, [metadata]);
  const { asymmetricKeyStore } = client as { readonly asymmetricKeyStore: { refresh(): Promise<void> } };
  const error = await asymmetricKeyStore.refresh().catch((reason: unknown) => reason);
  expect(String(Object(error).cause ?? error)).toContain("fetches nothing");
});
