import { TimestampSchema, TypeSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { resolveFieldPath } from "./field-path.ts";

test("a path is resolved by the field names of the .proto file", () => {
  const { fields } = resolveFieldPath(TypeSchema, "source_context.file_name");
  expect(fields?.map(({ name }) => name)).toEqual(["source_context", "file_name"]);
});

test.each([
  [
    "sourceContext",
    "message google.protobuf.Type has no field `sourceContext`; did you mean `source_context`?",
  ],
  ["name.x", "`name` is not a message, so it has no field `x`"],
  ["fields.name", "`fields` is not a message, so it has no field `name`"],
])("the path `%s` is not resolved, and the fault states the reason", (path, fault) => {
  expect(resolveFieldPath(TypeSchema, path)).toEqual({ fault });
});

test("the fault of an empty path lists the existing fields", () => {
  expect(resolveFieldPath(TimestampSchema, "").fault).toBe(
    "message google.protobuf.Timestamp has no field ``; it has `seconds`, `nanos`",
  );
});
