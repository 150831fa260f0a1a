import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { runCli } from "../../gateway/src/testing/child.ts";
import { manifestOf, ROOT, readCompose, readTarget, textOf } from "./files.ts";

const folder = mkdtempSync(path.join(tmpdir(), "connect-rest-deploy-"));
const secrets = path.join(folder, "secrets");
beforeEach(() => {
  rmSync(secrets, { recursive: true, force: true });
  mkdirSync(secrets);
});
afterAll(() => rmSync(folder, { recursive: true }));

const UNIT = "systemd/connect-rest-gateway.service";
const unit = textOf(UNIT);

const { data } = manifestOf("ConfigMap") as unknown as { readonly data: Readonly<Record<string, string>> };
const { stringData } = manifestOf("Secret") as unknown as {
  readonly stringData: Readonly<Record<string, string>>;
};

/** Where a deployment has its configuration, the folder of the secrets in it, and its secrets. */
interface Place {
  readonly name: string;
  readonly text: string;
  readonly mount: string;
  readonly secrets: readonly string[];
}

const PLACES: readonly Place[] = [
  {
    name: "Compose",
    text: textOf("compose/connect-rest.yaml"),
    mount: "/run/secrets",
    secrets: readCompose().services.gateway?.secrets ?? [],
  },
  {
    name: "Kubernetes",
    text: data["connect-rest.yaml"] ?? "",
    mount: "/run/secrets/connect-rest",
    secrets: Object.keys(stringData),
  },
  {
    name: "systemd",
    text: textOf("systemd/connect-rest.yaml"),
    mount: "/run/credentials/connect-rest-gateway.service",
    secrets: [...unit.matchAll(/^LoadCredential=([^:]+):\/etc\/connect-rest\/secrets\/\1$/gm)].map(
      ([, name = ""]) => name,
    ),
  },
];

/** Runs `check-config` with a configuration whose paths exist on this machine. */
async function checkConfig({ text, mount }: Place) {
  const file = path.join(folder, "connect-rest.yaml");
  const local = text
    .replaceAll(/\/(?:app|opt\/connect-rest)\/gen\//g, `${ROOT}/gen/`)
    .replaceAll(`${mount}/`, `${secrets}/`)
    .replaceAll("/var/lib/connect-rest/", `${folder}/`);
  writeFileSync(file, local);
  const { environment = {} } = readCompose().services.gateway ?? {};
  const check = runCli(["check-config", "--config", file], folder, environment);
  const status = await check.exit;
  return { status, ...check.output() };
}

function secretValue(name: string): string {
  return name === "store-url" ? "postgres://gateway@127.0.0.1/gateway" : "0123456789abcdef".repeat(4);
}

test.each(PLACES)(
  "$name: check-config accepts the configuration, and warns only of Redis without TLS",
  async (place) => {
    for (const name of place.secrets) {
      writeFileSync(path.join(secrets, name), secretValue(name), { mode: 0o600 });
    }
    const { status, stderr } = await checkConfig(place);
    expect(status, stderr).toBe(0);
    const warnings = stderr.split("\n").filter((line) => line !== "");
    expect(warnings).toHaveLength(place.text.includes("redis://") ? 1 : 0);
    for (const warning of warnings) expect(warning).toContain("bus.url: goes over the network without TLS");
  },
);

test.each(PLACES)(
  "$name: the configuration reads exactly the secrets of the deployment",
  ({ text, mount, ...place }) => {
    const read = [...text.matchAll(/file: (\/run\/\S+?)\s*\}/g)].map(([, file = ""]) => file);
    expect(read.map((file) => path.posix.dirname(file))).toEqual(read.map(() => mount));
    expect(new Set(read.map((file) => path.posix.basename(file)))).toEqual(new Set(place.secrets));
  },
);

test.each(PLACES)("$name: the configuration has the ports of the image", ({ text }) => {
  const { server } = parse(text) as { readonly server: Readonly<Record<string, unknown>> };
  expect(server).not.toHaveProperty("port");
  expect(server.metrics).not.toHaveProperty("port");
  expect(readTarget("gateway").ports).toEqual(["8080", "9464"]);
});

test("Kubernetes: the gateway does not start with the values of the example", async () => {
  const place = PLACES.find(({ name }) => name === "Kubernetes");
  if (place === undefined) throw new Error("no configuration for Kubernetes");
  for (const [name, value] of Object.entries(stringData)) {
    writeFileSync(path.join(secrets, name), value, { mode: 0o600 });
  }
  const { status, stderr } = await checkConfig(place);
  expect(status).toBe(2);
  for (const name of place.secrets) expect(stderr).toContain(name);
});

test("Compose: the script writes every secret, random and only once", () => {
  const script = path.join(ROOT, "deploy/compose/make-secrets.sh");
  const read = () => {
    const names = Object.values(readCompose().secrets).map(({ file }) => path.basename(file));
    return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(secrets, name), "utf8")]));
  };
  execFileSync(script, [secrets]);
  const first = read();
  execFileSync(script, [secrets]);
  expect(read()).toEqual(first);
  expect(new Set(Object.values(first)).size).toBe(Object.keys(first).length);
  expect(first["redis-conf"]).toContain(`requirepass ${first["redis-password"]}\n`);
  expect(first["store-url"]).toContain(`:${first["postgres-password"]}@postgres/`);
  rmSync(secrets, { recursive: true });
  mkdirSync(secrets);
  execFileSync(script, [secrets]);
  for (const [name, value] of Object.entries(read())) expect(value, name).not.toBe(first[name]);
});

test("systemd: the unit starts the files that the build script writes", () => {
  const [, command = ""] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  const { entrypoint, command: args } = readTarget("gateway");
  const expected = [...entrypoint, ...args].join(" ").replaceAll("/app/", "/opt/connect-rest/");
  expect(command).toBe(`/usr/bin/${expected}`);
});

const SYSTEMD = spawnSync("systemd-analyze", ["--version"], { encoding: "utf8" });
const NO_SYSTEMD = SYSTEMD.status === 0 ? undefined : "systemd is not installed";

test.skipIf(NO_SYSTEMD)("systemd: the unit is valid, and hardened", () => {
  const file = path.join(folder, path.basename(UNIT));
  // the programs exist on this machine at other paths
  writeFileSync(file, unit.replace("/usr/bin/node", process.execPath));
  const verify = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
  expect(verify.stderr.split("\n").filter((line) => line.includes(path.basename(UNIT)))).toEqual([]);
  expect(verify.status).toBe(0);
  // a tenth of the exposure level, e.g. 15 for 1.5
  const security = ["security", "--offline=true", "--threshold=15", "--no-pager", file];
  const { status, stdout } = spawnSync("systemd-analyze", security, { encoding: "utf8" });
  expect(status, stdout).toBe(0);
});
