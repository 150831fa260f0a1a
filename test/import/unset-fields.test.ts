import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type DescField, type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import { field as checks } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { FieldBehavior, field_behavior } from "connect-rest-runtime/gen/google/api/field_behavior_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CalledDocument } from "./calls.ts";
import { reachable } from "./openapi/arbitrary-requests.ts";
import { readOnlyDocument } from "./openapi/read-only-documents.ts";

const validator = createValidator();

test("property: a request may omit each property that is read-only or not required", async () => {
  const [document] = fc.sample(readOnlyDocument, 1);
  const folder = mkdtempSync(join(tmpdir(), "unset-"));
  const path = join(folder, "document.json");
  writeFileSync(path, JSON.stringify(document?.value));
  const called = await CalledDocument.load(path, "unset");
  const messages = new Set(called.methods.flatMap(({ input }) => [...reachable(input)]));
  const fields = [...messages].flatMap((message) => message.fields);
  const omitted = fields.filter(({ name }) => /^(?:ro|opt)/.test(name));
  expect(omitted.filter(isRequired).map(String)).toEqual([]);
  expect(omitted.filter((field) => hasOption(field, checks)).length).toBeGreaterThan(30);
  const rejected = [...messages].flatMap(rejectedWhenUnset).filter((field) => !isRequired(field));
  expect(rejected.map(String)).toEqual([]);
  called.remove();
  rmSync(folder, { recursive: true });
});

function isRequired(field: DescField): boolean {
  const isDeclared = getOption(field, field_behavior).includes(FieldBehavior.REQUIRED);
  return isDeclared || getOption(field, checks).required;
}

/** Returns the fields whose constraints an empty message violates. */
function rejectedWhenUnset(message: DescMessage): DescField[] {
  const result = validator.validate(message, create(message));
  if (result.kind === "error") throw result.error;
  if (result.kind === "valid") return [];
  return result.violations.flatMap(({ field: [first] }) => (first?.kind === "field" ? [first] : []));
}
