import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { LIMIT_TABLE } from "../../gateway/src/limits.ts";
import { manifestOf, readCompose, readManifests, readTarget, textOf } from "../deploy/files.ts";
import { blocksBelow, blocksOf } from "./blocks.ts";
import { ROOT } from "./shell.ts";

const page = readFileSync(path.join(ROOT, "docs/deploy.md"), "utf8");
const commands = blocksOf(page)
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => text.trim().split("\n"));

/** Commands of an engine or a cluster are only compared; compose.test.ts runs the commands of the gateway. */
const words = commands.map((command) => command.split(" "));

function commandsBelow(heading: string): readonly string[] {
  return blocksBelow(page, heading).flatMap(({ text }) => text.trim().split("\n"));
}

test("every file of deploy/ that the page names exists", () => {
  const named = [...page.matchAll(/\bdeploy\/[\w./-]+\w/g)].map(([file]) => file);
  const missing = named.filter((file) => !existsSync(path.join(ROOT, file)));
  // make-secrets.sh writes these files
  expect(missing.filter((file) => !file.startsWith("deploy/compose/secrets"))).toEqual([]);
  const secrets = Object.values(readCompose().secrets).map(({ file }) => `deploy/${file}`);
  expect(missing.filter((file) => path.basename(file) !== "secrets" && !secrets.includes(file))).toEqual([]);
});

test("the page uses only programs that it explains", () => {
  const programs = new Set(words.map(([program]) => program));
  const scripts = ["deploy/compose/make-secrets.sh", "docker", "kubectl", "npm", "npx", "sudo"];
  expect([...programs].toSorted()).toEqual(scripts);
});

test("the image: the page builds a target of the Dockerfile, and states its command, user and ports", () => {
  const [build = ""] = commandsBelow("## The image");
  const [, target = "", image] = /--target (\S+) -t (\S+) \.$/.exec(build) ?? [];
  const { command, user, ports } = readTarget(target);
  expect(image).toBe(readCompose().services.gateway?.image);
  expect(page).toContain(`| command | \`${command.join(" ")}\` |`);
  expect(page).toContain(`| user | \`${user}\` |`);
  for (const port of ports) expect(page).toContain(`| \`${port}\``);
  expect(readTarget(target).workdir).toBe("/app");
  expect(textOf("image/health.js")).toContain("/readyz");
});

test("Compose: the page lists every published port", () => {
  const published = Object.values(readCompose().services).flatMap(({ ports = [] }) => ports);
  const listed = [...page.matchAll(/^\| `http:\/\/(127\.0\.0\.1:\d+)` \|/gm)].map(([, address]) => address);
  expect(listed.toSorted()).toEqual(published.map((port) => port.replace(/:\d+$/, "")).toSorted());
});

test("Kubernetes: the page applies every manifest but the example of the Secret, by its name", () => {
  const applied = commandsBelow("## Kubernetes").flatMap((command) => command.match(/[\w.]+\.yaml/g) ?? []);
  const files = new Set(readManifests().map(([file]) => file));
  files.delete("secret.example.yaml");
  expect(applied.toSorted()).toEqual([...files]);
  const { name } = manifestOf("Deployment").metadata as { readonly name: string };
  const secret = manifestOf("Secret").metadata as { readonly name: string };
  expect(page).toContain(`deployment/${name}\n`);
  expect(page).toContain(`create secret generic ${secret.name} `);
});

test("systemd: the page installs what the unit reads", () => {
  const unit = textOf("systemd/connect-rest-gateway.service");
  const installed = commandsBelow("## systemd").flatMap((command) => command.split(" ").slice(-1));
  for (const file of ["/opt/connect-rest", "/etc/connect-rest/connect-rest.yaml"]) {
    expect(installed).toContain(file);
    expect(unit).toContain(file);
  }
  for (const [, name, file] of unit.matchAll(/^LoadCredential=([^:]+):(.*)$/gm)) {
    expect(page).toContain(`\`${name}\``);
    expect(page).toContain(`\`${path.dirname(file ?? "")}/\``);
  }
});

test("the page states the drain and the waits of the deployments", () => {
  expect(page).toContain(`\`drainNoticeMs\` (${LIMIT_TABLE.drainNoticeMs.default / 1000} s)`);
  expect(page.replaceAll("\n", " ")).toContain(
    `\`drainGraceMs\` (${LIMIT_TABLE.drainGraceMs.default / 1000} s)`,
  );
  expect(page.replaceAll("\n", " ")).toContain("wait 30 seconds");
  expect(textOf("compose.yaml")).toContain("stop_grace_period: 30s");
  expect(textOf("kubernetes/deployment.yaml")).toContain("terminationGracePeriodSeconds: 30\n");
  expect(textOf("systemd/connect-rest-gateway.service")).toContain("TimeoutStopSec=30\n");
});
