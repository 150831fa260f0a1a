import { expect, test } from "vitest";
import { manifestOf, readCompose, readManifests } from "./files.ts";
import { composeSchema, downloadSchemas, kubernetesSchema, type Manifest } from "./schemas.ts";

const { problem } = await downloadSchemas();

test.skipIf(problem).each(readManifests())(
  "Kubernetes: %s conforms to the schema of its kind",
  async (_, manifest) => {
    const problemsOf = await kubernetesSchema();
    expect(await problemsOf(manifest)).toEqual([]);
  },
);

test.skipIf(problem)("Kubernetes: the schema finds a misspelled key and a wrong type", async () => {
  const problemsOf = await kubernetesSchema();
  const deployment = manifestOf("Deployment");
  const misspelled = structuredClone(deployment) as unknown as { spec: { replcas: number } };
  misspelled.spec.replcas = 1;
  expect(await problemsOf(misspelled as unknown as Manifest)).not.toEqual([]);
  const wrong = structuredClone(deployment) as unknown as { spec: { replicas: string } };
  wrong.spec.replicas = "two";
  expect(await problemsOf(wrong as unknown as Manifest)).not.toEqual([]);
  expect(await problemsOf({ apiVersion: "v2", kind: "Pod" })).toEqual(["there is no kind v2 Pod"]);
});

test.skipIf(problem)("Compose: the file conforms to the Compose specification", async () => {
  const compose = await composeSchema();
  expect(compose.problems(JSON.parse(JSON.stringify(readCompose())))).toEqual([]);
  expect(compose.problems({ services: { gateway: { imge: "x" } } })).not.toEqual([]);
});
