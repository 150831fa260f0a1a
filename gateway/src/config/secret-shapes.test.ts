import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import { prepare } from "./inspect.ts";
import { ConfigError } from "./problems.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-secret-shapes-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** A configuration with a secret in every possible place. */
const WHOLE = `
adapters: [${path.resolve(import.meta.dirname, "../testing/echo-rest.ts")}]
upstreams:
  echo:
    baseUrl: https://echo.example
    proxy: { url: 'http://proxy.example:3128', username: { env: A }, password: { env: A } }
    credentials:
      apiKey: { env: A }
      oauth1: { consumerKey: { env: A }, consumerSecret: { env: A }, token: { env: A }, tokenSecret: { env: A } }
      oauth2: { tokenUrl: 'https://echo.example/t', clientId: { env: A }, clientSecret: { env: A }, refreshToken: { env: A } }
      basic: { username: { env: A }, password: { env: A } }
    signIn: { oauth2: { clientId: { env: A }, clientSecret: { env: A } } }
authorization:
  publicUrl: https://gateway.example
  keys: [{ env: A }]
  store: { postgres: { env: A } }
  clients: { app: { secret: { env: A } } }
  registration: { mode: token, initialAccessToken: { env: A } }
watch: { resumeKey: { env: A }, previousResumeKey: { env: A } }
bus: { url: 'rediss://redis.example:6379', username: { env: A }, password: { env: A }, key: { env: A }, previousKey: { env: A } }
`;

/** The paths of all secrets, and of all settings that contain them, except the root. */
const PLACES = placesIn(parse(WHOLE), []);

function placesIn(value: unknown, at: readonly string[]): string[][] {
  if (typeof value !== "object" || value === null) return [];
  if ("env" in value) return at.map((_, index) => at.slice(0, index + 1));
  return Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...at, key]));
}

const SECRETS = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{17,40}$/).filter((text) => /\d/.test(text) && /[A-Za-z]{3}/.test(text)),
  fc.stringMatching(/^[!-.0-~]{12,40}$/).filter((text) => /[A-Za-z0-9]{8}.*\d/.test(text)),
  fc.stringMatching(/^(?:[|>*&!%@`"'[{#-])[A-Za-z0-9]{17,30}$/),
);

/** All paths except maps whose keys the operator chooses, since problems may show these keys. */
const NAMED = PLACES.filter((place) => !["upstreams", "clients"].includes(place.at(-1) ?? ""));

/** Values that a user may write in place of a reference to a secret. */
const SHAPES: Readonly<Record<string, (secret: string) => unknown>> = {
  "a text": (secret) => secret,
  "a list": (secret) => [secret],
  "a list of lists": (secret) => [[secret], { env: [secret] }],
  "a key": (secret) => ({ [secret]: null }),
  "a key of a list": (secret) => [{ [secret]: 1 }],
  "a wrong key": (secret) => ({ value: secret }),
  "a file and a variable": (secret) => ({ file: secret, env: secret }),
  "a variable": (secret) => ({ env: secret }),
  "a file": (secret) => ({ file: secret }),
  "a variable with a key": (secret) => ({ env: { [secret]: secret } }),
};

async function problemsOf(text: string): Promise<string> {
  const file = path.join(directory, "connect-rest.yaml");
  writeFileSync(file, text);
  try {
    await prepare(file, { A: "0123456789abcdef0123456789abcdef" });
    return "";
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message;
  }
}

/** Expects that a string contains no 8 consecutive characters of the secret. */
function expectNone(text: string, secret: string): void {
  for (let at = 0; at + 8 <= secret.length; at++) {
    const part = secret.slice(at, at + 8);
    expect(text.includes(part), `${part} of ${secret} in ${text}`).toBe(false);
  }
}

test.each(Object.keys(SHAPES))(
  "no problem shows a secret written directly into the configuration, as %s",
  async (shape) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...(shape.includes("key") ? NAMED : PLACES)),
        SECRETS,
        async (place, secret) => {
          const config: unknown = parse(WHOLE);
          const parent = place.slice(0, -1).reduce((at, key) => Reflect.get(Object(at), key), config);
          Reflect.set(Object(parent), place.at(-1) ?? "", SHAPES[shape]?.(secret));
          const problems = await problemsOf(stringify(config));
          expect(problems).toContain(place[0]);
          expectNone(problems, secret);
        },
      ),
      { interruptAfterTimeLimit: 5000 },
    );
  },
);

test("no YAML error or warning shows a secret written in the file without quotes", async () => {
  const warn = vi.spyOn(process, "emitWarning");
  const around = fc.constantFrom(
    ["", ""],
    ["{", ""],
    ["[", ""],
    ["{{ ", " }}"],
    ["{ [", "] }"],
    ["? - ", ""],
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...NAMED), SECRETS, around, async (...draw) => {
      const [place, secret, [opening, closing]] = draw;
      const lines = place.map((key, depth) => `${"  ".repeat(depth)}${key}:`);
      expectNone(await problemsOf(`${lines.join("\n")} ${opening}${secret}${closing}\n`), secret);
      expectNone(await problemsOf(`${lines.join("\n")} ${opening}"\\${secret}\n`), secret);
    }),
    { interruptAfterTimeLimit: 5000 },
  );
  expect(warn).not.toHaveBeenCalled();
});

test("problems show the names of variables and files that do not look like secrets", async () => {
  const withKey = (place: string) => WHOLE.replace("apiKey: { env: A }", `apiKey: { ${place} }`);
  for (const name of ["BLOG_API_KEY", "TOKEN", "A1_KEY"]) {
    expect(await problemsOf(withKey(`env: ${name}`))).toContain(
      `the environment variable ${name} is not set`,
    );
  }
  for (const file of ["key", "api-key", "./secrets/blog.key", "/run/secrets/api_key", "../key.txt"]) {
    expect(await problemsOf(withKey(`file: ${file}`))).toContain(path.resolve(directory, file));
  }
});
