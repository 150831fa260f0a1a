import { expect, test } from "vitest";
import { LIMIT_TABLE } from "../../gateway/src/limits.ts";
import { manifestOf, readCompose, readManifests, readTarget, textOf } from "./files.ts";

/** The time that a process needs after its last call, e.g. to send spans. */
const END_SECONDS = 5;
const DRAIN_SECONDS = LIMIT_TABLE.drainGraceMs.default / 1000 + END_SECONDS;

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly resources: Readonly<Record<"requests" | "limits", Readonly<Record<string, string>>>>;
  readonly securityContext: unknown;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: unknown;
  readonly automountServiceAccountToken: boolean;
  readonly containers: readonly [Container];
}

interface Deployment {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: Readonly<Record<"labels" | "annotations", Readonly<Record<string, string>>>>;
      readonly spec: PodSpec;
    };
  };
}

const { services, secrets } = readCompose();
const deployment = manifestOf("Deployment") as unknown as Deployment;
const { template } = deployment.spec;
const [container] = template.spec.containers;

test("Kubernetes: the pods satisfy the restricted security standard", () => {
  expect(template.spec.securityContext).toMatchObject({
    runAsNonRoot: true,
    runAsUser: Number(readTarget("gateway").user.split(":")[0]),
    seccompProfile: { type: "RuntimeDefault" },
  });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  expect(template.spec.automountServiceAccountToken).toBe(false);
  for (const key of ["hostNetwork", "hostPID", "hostIPC"]) expect(template.spec).not.toHaveProperty(key);
  expect(container.resources.limits).toHaveProperty("memory");
});

test("Kubernetes: the pods start as the image does, on its ports", () => {
  const { command, ports } = readTarget("gateway");
  expect(container.args).toEqual(command);
  expect(container.ports.map(({ containerPort }) => String(containerPort))).toEqual(ports);
  expect(template.metadata.annotations["prometheus.io/port"]).toBe(ports[1]);
});

test("Kubernetes: the probes use named ports and the health endpoints", () => {
  const { startupProbe, livenessProbe, readinessProbe } = container;
  expect(startupProbe.httpGet).toEqual({ path: "/healthz", port: "http" });
  expect(livenessProbe.httpGet).toEqual({ path: "/healthz", port: "http" });
  expect(readinessProbe.httpGet).toEqual({ path: "/readyz", port: "http" });
});

test("Kubernetes: readiness is probed at least twice during the drain notice", () => {
  const noticeSeconds = LIMIT_TABLE.drainNoticeMs.default / 1000;
  expect(container.readinessProbe.periodSeconds * 2).toBeLessThanOrEqual(noticeSeconds);
});

test("Kubernetes: all selectors match the labels of the pods", () => {
  const { labels } = template.metadata;
  const selectors = readManifests().flatMap(([, { spec }]) => selectorsOf(spec));
  expect(selectors.length).toBeGreaterThan(3);
  for (const selector of selectors) expect(labels).toMatchObject(selector);
  expect(manifestOf("HorizontalPodAutoscaler").spec).toMatchObject({
    scaleTargetRef: { kind: "Deployment", name: deployment.metadata.name },
  });
});

test("Kubernetes: the ports of the service and the network policy are ports of the container", () => {
  const names = container.ports.map(({ name }) => name);
  const { ports } = manifestOf("Service").spec as unknown as { ports: readonly { targetPort: string }[] };
  const { ingress } = manifestOf("NetworkPolicy").spec as unknown as {
    ingress: readonly { ports: readonly { port: string }[] }[];
  };
  const used = [
    ...ports.map(({ targetPort }) => targetPort),
    ...ingress.flatMap((rule) => rule.ports.map(({ port }) => port)),
  ];
  expect(new Set(used)).toEqual(new Set(names));
});

/** Returns the selectors that choose pods of the gateway. */
function selectorsOf(spec: unknown): Readonly<Record<string, string>>[] {
  const { selector, podSelector } = (spec ?? {}) as Record<string, Record<string, unknown> | undefined>;
  return [selector, podSelector].flatMap((each) => {
    return each === undefined ? [] : [(each.matchLabels ?? each) as Readonly<Record<string, string>>];
  });
}

test("a stop: Kubernetes waits for the whole drain", () => {
  const { terminationGracePeriodSeconds: seconds } = template.spec;
  expect(seconds).toBeGreaterThanOrEqual(DRAIN_SECONDS);
  expect(seconds).toBeLessThanOrEqual(DRAIN_SECONDS + END_SECONDS);
});

test("a stop: Compose waits for the whole drain", () => {
  const { gateway } = readCompose().services;
  expect(Number.parseInt(gateway?.stop_grace_period ?? "", 10)).toBeGreaterThanOrEqual(DRAIN_SECONDS);
});

test("a stop: systemd waits for the whole drain", () => {
  const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(textOf("systemd/connect-rest-gateway.service")) ?? [];
  expect(Number(seconds)).toBeGreaterThanOrEqual(DRAIN_SECONDS);
});

test.each(Object.entries(services))(
  "Compose: %s cannot be reached from outside of the machine",
  (_, { ports = [] }) => {
    expect(ports.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
  },
);

test.each(Object.entries(services))(
  "Compose: %s runs with a read-only file system and no capabilities",
  (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
    expect(service).not.toHaveProperty("privileged");
  },
);

test("Compose: every image has a fixed version, or is built here", () => {
  for (const [name, service] of Object.entries(services)) {
    if (!("build" in service)) expect(service.image, name).toMatch(/:v?\d+\.\d+/);
  }
});

test("Compose: every secret is declared and used", () => {
  const used = Object.values(services).flatMap((service) => service.secrets ?? []);
  expect(new Set(used)).toEqual(new Set(Object.keys(secrets)));
});

test("Compose: every password is read from a secret", () => {
  for (const { environment = {} } of Object.values(services)) {
    for (const [name, value] of Object.entries(environment)) {
      if (/password/i.test(name)) expect(value).toMatch(/^\/run\/secrets\//);
    }
  }
});

test("the Dockerfile: uses the Node.js version of the repository", () => {
  const lock = JSON.parse(textOf("../package-lock.json"));
  expect(textOf("Dockerfile")).toContain(`node:${lock.packages["node_modules/node"].version}-`);
});

test.each(["gateway", "sandbox"])("the image of the %s runs as an ordinary user, without a shell", (name) => {
  const { user, entrypoint, health } = readTarget(name);
  expect(user).toMatch(/^[1-9]\d+:[1-9]\d+$/);
  expect(entrypoint[0]).toBe("node");
  expect(health).toEqual(["node", "health.js"]);
});

test("the Dockerfile: the build context leaves out secrets", () => {
  expect(textOf("Dockerfile.dockerignore").split("\n")).toEqual(
    expect.arrayContaining([".git", "**/secrets", "**/.env*", "**/node_modules"]),
  );
});
