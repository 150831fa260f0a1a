import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { LIMIT_NAMES } from "../limits.ts";
import { loadAdapters } from "./adapters.ts";
import { configJsonSchema } from "./json-schema.ts";
import { loadConfig } from "./load.ts";
import { maskAddress } from "./mask.ts";
import { printConfig } from "./print.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-print-"));
afterAll(() => rmSync(directory, { recursive: true }));
const echo = path.resolve(import.meta.dirname, "../testing/echo-rest.ts");

function load(text: string) {
  const file = path.join(directory, "connect-rest.yaml");
  writeFileSync(file, text);
  return loadConfig(file, { GATEWAY_PORT: "7" });
}

test("printing removes the query of every address, and keeps other strings with question marks", () => {
  const text = printConfig(
    load(`
adapters: [./a.ts]
upstreams:
  echo:
    baseUrl: https://echo.example
    userAgent: "who? me: 1?"
    credentials: { oauth2: { tokenUrl: "https://a.example/t?client_secret=hunter2", clientId: x, clientSecret: { env: K } } }
`),
    {},
  );
  expect(text).toContain("https://a.example/t?[secret]");
  expect(text).toContain("who? me: 1?");
  expect(text).not.toContain("hunter2");
});

test("a printed configuration includes environment variables and every default, but no secret", () => {
  writeFileSync(path.join(directory, "secret"), "hunter2");
  const config = load(`
adapters: [./a.ts]
upstreams:
  echo:
    baseUrl: https://echo.example
    maxHeaderBytes: 9
    rateLimits: { share: 0.5 }
    credentials:
      apiKey: { file: secret }
      oauth1: { consumerKey: { env: KEY }, consumerSecret: { env: UNSET } }
      passThrough: { oauth2: { header: x-token } }
`);
  const text = printConfig(config, { KEY: "hunter2" });
  expect(text).not.toContain("hunter2");
  const printed = parse(text);
  expect(Object.keys(printed.server.limits)).toEqual(LIMIT_NAMES);
  expect(printed).toMatchObject({
    adapters: ["./a.ts"],
    upstreams: {
      echo: {
        baseUrl: "https://echo.example",
        maxHeaderBytes: 9,
        maxResponseBytes: 16_777_216,
        callsInFlight: 1024,
        rateLimits: { share: 0.5 },
        credentials: {
          apiKey: { file: "secret", value: "[secret]" },
          oauth1: {
            consumerKey: { env: "KEY", value: "[secret]" },
            consumerSecret: { env: "UNSET", value: "[missing]" },
          },
          passThrough: { oauth2: { header: "x-token" } },
        },
      },
    },
    server: { host: "127.0.0.1", port: 7 },
    log: { level: "info" },
    strict: false,
    webAssembly: true,
  });
});

test("a string that is not a secret is printed unchanged, even if its setting's name sounds secret", () => {
  writeFileSync(path.join(directory, "secret"), "hunter2");
  const name = fc.constantFrom("file", "env", "value", "store", "parameters", "secret", "a");
  const texts = fc.dictionary(name, fc.stringMatching(/^[a-z]{1,5}$/), { maxKeys: 3 });
  fc.assert(
    fc.property(name, name, texts, (scope, client, parameters) => {
      const oauth2 = {
        authorizationEndpoint: "https://echo.example/a",
        tokenEndpoint: "https://echo.example/t",
        clientId: "id",
        clientSecret: { file: "secret" },
        parameters,
      };
      const authorization = {
        publicUrl: "http://127.0.0.1:7",
        store: { file: "secret" },
        scopes: { [scope]: { methods: ["*"] } },
        clients: { [client]: { secret: { file: "secret" }, grants: ["client_credentials"] } },
        signIn: { keys: [{ env: "UNSET" }] },
      };
      const identity = { url: "https://echo.example/me", field: "name" };
      const upstreams = { echo: { baseUrl: "https://echo.example", signIn: { oauth2, identity } } };
      const config = load(stringify({ adapters: ["./a.ts"], upstreams, authorization }));
      const printed = parse(printConfig(config, {}));
      expect(printed.authorization.store).toEqual({ file: "secret" });
      expect(printed.authorization.scopes).toEqual(config.authorization?.scopes);
      expect(printed.authorization.clients[client].secret).toEqual({ file: "secret", value: "[secret]" });
      expect(printed.authorization.signIn.keys).toEqual([{ env: "UNSET", value: "[missing]" }]);
      expect(printed.upstreams.echo.signIn.oauth2.parameters).toEqual(parameters);
      expect(printed.upstreams.echo.signIn.oauth2.clientSecret.value).toBe("[secret]");
    }),
    { numRuns: 50 },
  );
});

test("a printed configuration names the proxy of each upstream, without the password", () => {
  writeFileSync(path.join(directory, "secret"), "hunter2");
  const config = load(`
adapters: [./a.ts]
upstreams:
  own:
    baseUrl: https://a.example
    proxy: { url: "http://proxy.example:3128", username: { env: KEY }, password: { file: secret } }
    tls: { ca: ca.pem, serverName: a.internal }
  none: { baseUrl: https://a.example, proxy: false }
  https: { baseUrl: https://a.example }
  http: { bases: { web: http://a.example } }
  excepted: { baseUrl: https://b.example }
  here: { baseUrl: https://localhost:9090 }
`);
  const proxies = {
    https_proxy: "http://me:hunter2@p.example",
    HTTP_PROXY: "p.example",
    NO_PROXY: "b.example",
  };
  const text = printConfig(config, { KEY: "hunter2", ...proxies });
  expect(text).not.toContain("hunter2");
  const { upstreams } = parse(text);
  expect(upstreams.own).toMatchObject({
    proxy: {
      url: "http://proxy.example:3128",
      username: { env: "KEY", value: "[secret]" },
      password: { file: "secret", value: "[secret]" },
    },
    tls: { ca: "ca.pem", serverName: "a.internal" },
  });
  const others = ["none", "https", "http", "excepted", "here"].map((name) => upstreams[name].proxy);
  expect(others).toEqual([false, { env: "https_proxy" }, { env: "HTTP_PROXY" }, false, false]);
});

test("printing removes the user, password and query of every address", () => {
  const word = fc.stringMatching(/^[a-z0-9]{8,20}$/);
  fc.assert(
    fc.property(
      word,
      word,
      word,
      fc.constantFrom("http", "https", "postgres"),
      (user, password, key, scheme) => {
        const masked = maskAddress(`${scheme}://${user}:${password}@h.example/p?api_key=${key}#${key}`);
        expect(masked).toBe(`${scheme}://[secret]@h.example/p?[secret]`);
      },
    ),
    { interruptAfterTimeLimit: 1000 },
  );
  expect(maskAddress("https://a.example/b")).toBe("https://a.example/b");
  for (const scheme of ["https://", "socks5://", ""]) {
    for (const password of ["pa/ss", "pa?ss", "pa#ss", "pa@ss", "pa:ss", "pa\nss"]) {
      expect(maskAddress(`${scheme}me:${password}@a.example`)).toBe(`${scheme}[secret]@a.example`);
    }
  }
});

test("routes.include is an allow list of services and methods", async () => {
  const names = async (routes: string) => {
    const adapters = await loadAdapters(load(`adapters: [${echo}]\nroutes: ${routes}`));
    return adapters.flatMap(({ methods }) => Object.keys(methods));
  };
  expect(await names("{}")).toEqual(["echo"]);
  expect(await names("{ include: [echo.v1.EchoService] }")).toEqual(["echo"]);
  expect(await names("{ include: [echo.v1.EchoService/Echo] }")).toEqual(["echo"]);
  expect(await names("{ exclude: [echo.v1.EchoService/Echo] }")).toEqual([]);
  const both = "{ include: [echo.v1.EchoService], exclude: [echo.v1.EchoService/Echo] }";
  expect(await names(both)).toEqual([]);
});

// `npx vitest run gateway/src/config -u` rewrites the file.
test("the JSON Schema for editors matches the configuration schema", async () => {
  const file = path.resolve(import.meta.dirname, "../../../docs/connect-rest.schema.json");
  await expect(configJsonSchema()).toMatchFileSnapshot(file);
  const { properties, required, additionalProperties } = JSON.parse(configJsonSchema());
  expect([required, additionalProperties]).toEqual([["adapters"], false]);
  expect(Object.keys(properties.server.properties.limits.properties)).toEqual(LIMIT_NAMES);
  expect(
    properties.upstreams.additionalProperties.properties.credentials.properties.apiKey.properties,
  ).toMatchObject({
    file: { type: "string" },
    env: { type: "string" },
  });
});
